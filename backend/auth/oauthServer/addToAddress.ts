/**
 * A client's address with more in its query, each name once and all in order, as hosted writes them; the rest of
 * it as it was registered. Letters that no header can hold are escaped.
 */
export function addToAddress(address: string, more: Record<string, string>): string {
  const [base = '', query = ''] = address.split('?', 2)
  const params = new URLSearchParams(query)
  for (const [name, value] of Object.entries(more)) params.set(name, value)
  params.sort()
  return `${base}?${params.toString()}`.replace(/[^\x21-\x7e]+/g, encodeURIComponent)
}
