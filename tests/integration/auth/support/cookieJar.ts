/** The cookies of one browser at one site. */
export interface CookieJar {
  /** Sets a cookie from a `Set-Cookie` header or `document.cookie`; an expired one is deleted. */
  set(line: string): void
  put(name: string, value: string): void
  get(name: string): string | undefined
  /** The attributes of a cookie, names in lower case. */
  attributes(name: string): Record<string, string>
  names(): string[]
  /** The value of the `Cookie` header and of `document.cookie`. */
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
