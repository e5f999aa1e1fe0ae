-- Who has kept which book too long? Run every Monday by the harbour library.
CREATE TABLE IF NOT EXISTS loan (
    id        INTEGER PRIMARY KEY,
    book_id   INTEGER NOT NULL REFERENCES book(id),
    reader_id INTEGER NOT NULL REFERENCES reader(id),
    lent_on   DATE NOT NULL,
    back_on   DATE
);

SELECT reader.name, book.title, julianday('now') - julianday(loan.lent_on) AS days
FROM loan
JOIN book   ON book.id = loan.book_id
JOIN reader ON reader.id = loan.reader_id
WHERE loan.back_on IS NULL
  AND loan.lent_on < date('now', '-28 days')
ORDER BY days DESC;
