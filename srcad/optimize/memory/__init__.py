"""Bufferisation: which operations write in place, and whose memory each result lies in."""
