/** Either a value or a reason; the caller cannot forget to look. */
export type Result<T> = { ok: true; value: T } | { ok: false; reason: string };

export interface Loan {
  readonly book: string;
  readonly reader: string;
  readonly dueOn: Date;
}

export function renewLoan(loan: Loan, days: number, today: Date): Result<Loan> {
  if (days <= 0) return { ok: false, reason: "days must be positive" };
  if (loan.dueOn < today) return { ok: false, reason: `${loan.book} is overdue` };
  const dueOn = new Date(loan.dueOn);
  dueOn.setDate(dueOn.getDate() + days);
  return { ok: true, value: { ...loan, dueOn } };
}
