/** `pg-functions://postgres/public/fn` as `"public"."fn"`; null for any other form. */
export function parseHookUri(uri: string): string | null {
  const match = /^pg-functions:\/\/postgres\/([A-Za-z_][A-Za-z0-9_$]*)\/([A-Za-z_][A-Za-z0-9_$]*)$/.exec(uri)
  return match ? `"${match[1]}"."${match[2]}"` : null
}
