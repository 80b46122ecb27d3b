/** The cookies of one browser at one site. */
export interface CookieJar {
  /** Takes a line as a `Set-Cookie` header or `document.cookie` gives it; one that is over takes the cookie away. */
  set(line: string): void
  put(name: string, value: string): void
  get(name: string): string | undefined
  /** What was said beside the value, names in small letters. */
  attributes(name: string): Record<string, string>
  names(): string[]
  /** As the `Cookie` header and `document.cookie` have them. */
  header(): string
}

export function createCookieJar(): CookieJar {
  const cookies = new Map<string, { value: string; attributes: Record<string, string> }>()
  return {
    set(line) {
      const [pair, ...rest] = line.split(/; */)
      const at = pair!.indexOf('=')
      const attributes = Object.fromEntries(
        rest.map((part) => [part.split('=')[0]!.toLowerCase(), part.split('=')[1] ?? '']),
      )
      const name = pair!.slice(0, at)
      if (Number(attributes['max-age']) <= 0) cookies.delete(name)
      else cookies.set(name, { value: pair!.slice(at + 1), attributes })
    },
    put(name, value) {
      cookies.set(name, { value, attributes: {} })
    },
    get: (name) => cookies.get(name)?.value,
    attributes: (name) => cookies.get(name)?.attributes ?? {},
    names: () => [...cookies.keys()].toSorted(),
    header: () => [...cookies].map(([name, { value }]) => `${name}=${value}`).join('; '),
  }
}
