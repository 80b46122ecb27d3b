/** Whether two channels could not both be called so: the database compares without regard to case and width. */
export function sameName(a: string | null, b: string): boolean {
  const plain = (name: string) => name.trim().normalize('NFKC').toLowerCase()
  return a !== null && b !== '' && plain(a) === plain(b)
}
