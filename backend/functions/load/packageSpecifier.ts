/** A package specifier, as in `npm:` and `jsr:` imports. */
export interface PackageSpecifier {
  /** With its scope: "@supabase/supabase-js". */
  name: string
  /** The part after the @: "^2", "2.7.1", "latest"; '' if there is none. */
  range: string
  /** '' or what follows the package: "/jsx-runtime". */
  subpath: string
}

const pattern = /^\/?((?:@[^/@\s]+\/)?[^/@\s]+)(?:@([^/]*))?(\/.*)?$/

/** Parses `name@range/sub`, without a scheme; null if it is invalid. */
export function parsePackageSpecifier(text: string): PackageSpecifier | null {
  const match = pattern.exec(text)
  if (!match || match[1]!.startsWith('.')) return null
  const subpath = match[3] === '/' ? '' : (match[3] ?? '')
  return { name: match[1]!, range: match[2] ?? '', subpath }
}
