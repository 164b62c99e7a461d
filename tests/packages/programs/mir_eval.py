"""Music: frequencies, melodies, separation."""

import numpy as np
from mir_eval import melody, separation, util

f = np.array([220.0, 331.0, 447.0])
g = np.array([222.0, 329.0, 441.0])
v = np.array([0.9, 0.8, 0.7])
p = 0.7
r = 0.4
S = np.sin(np.outer([0.3, 0.7], np.arange(30.0)))
t = np.array([[0.1, 0.5], [0.5, 1.2], [1.2, 2.0]])

util.f_measure(p, r)
util.f_measure(p, r, 2.0)
util.hz_to_midi(f)
util.midi_to_hz(f * 0.2)
util.intervals_to_durations(t)
melody.hz2cents(f)
melody.constant_hop_timebase(0.1, 0.5) * p
melody.overall_accuracy(v, f, v, g)
separation.bss_eval_sources(S, S + 0.1 * np.cos(S), False)[0]
