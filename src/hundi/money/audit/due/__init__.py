"""The audit of due times: nothing is put off further than a schedule of ours would."""
