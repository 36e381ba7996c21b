"""The languages that customers read, by their own names."""

from collections.abc import Mapping

OWN_NAMES: Mapping[str, str] = {
    "en": "English",
    "hi": "हिन्दी",
    "bn": "বাংলা",
    "mr": "मराठी",
    "te": "తెలుగు",
    "ta": "தமிழ்",
    "gu": "ગુજરાતી",
    "kn": "ಕನ್ನಡ",
    "ml": "മലയാളം",
    "pa": "ਪੰਜਾਬੀ",
}
"""The name of each language in its own script, which its readers recognise."""
