/** Whether two channel names are equal: the database ignores case and width. */
export function sameName(a: string | null, b: string): boolean {
  const plain = (name: string) => name.trim().normalize('NFKC').toLowerCase()
  return a !== null && b !== '' && plain(a) === plain(b)
}
