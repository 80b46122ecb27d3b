/** Whether these are the same name of a channel, which the database compares regardless of case and width. */
export function sameName(a: string | null, b: string): boolean {
  const plain = (name: string) => name.trim().normalize('NFKC').toLowerCase()
  return a !== null && b !== '' && plain(a) === plain(b)
}
