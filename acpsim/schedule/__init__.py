"""Who acts next, and by what chance. Knows no protocol; standard library only."""
