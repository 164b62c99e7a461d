"""Features of speech."""

import numpy as np
import python_speech_features as psf
from python_speech_features import sigproc

x = np.sin(0.3 * np.arange(120.0)) + 0.1 * np.cos(np.arange(120.0))
F = np.array([[1.0, 2.0, 0.5], [0.3, 1.2, 0.8], [0.7, 0.6, 1.4]])
f = 440.0

psf.mfcc(x, 1000, nfft=64)
psf.fbank(x, 1000, nfft=64)[0]
psf.logfbank(x, 1000, nfft=64)
psf.ssc(x, 1000, nfft=64)
psf.hz2mel(f)
psf.mel2hz(f)
psf.lifter(F)
psf.delta(F, 1)
sigproc.framesig(x, 20, 10)
sigproc.deframesig(sigproc.framesig(x, 20, 10), 120, 20, 10)
sigproc.magspec(F, 4)
sigproc.powspec(F, 4)
sigproc.logpowspec(F, 4)
sigproc.preemphasis(x)
