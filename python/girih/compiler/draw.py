def draw(card): return "<svg/>\n"
