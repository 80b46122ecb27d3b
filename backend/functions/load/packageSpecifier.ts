/** A package asked for by name, as `npm:` and `jsr:` imports do. */
export interface PackageSpecifier {
  /** With its scope: "@supabase/supabase-js". */
  name: string
  /** As written behind the @: "^2", "2.7.1", "latest"; '' where there is none. */
  range: string
  /** '' or what follows the package: "/jsx-runtime". */
  subpath: string
}

const pattern = /^\/?((?:@[^/@\s]+\/)?[^/@\s]+)(?:@([^/]*))?(\/.*)?$/

/** Reads `name@range/sub`, without the scheme before it; null where it names no package. */
export function parsePackageSpecifier(text: string): PackageSpecifier | null {
  const match = pattern.exec(text)
  if (!match || match[1]!.startsWith('.')) return null
  const subpath = match[3] === '/' ? '' : (match[3] ?? '')
  return { name: match[1]!, range: match[2] ?? '', subpath }
}
