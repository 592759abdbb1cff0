"""Send new samples down finished trees."""
