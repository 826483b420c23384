//! prctl(2), arch_prctl(2).
