import { findPackage, type InstalledPackage } from './findPackage.ts'

/** Packages that are published with the same code on JSR and on npm, under these names. */
const sameOnNpm: Record<string, string> = {
  '@supabase/supabase-js': '@supabase/supabase-js',
  '@supabase/functions-js': '@supabase/functions-js',
  '@supabase/server': '@supabase/server',
  '@hono/hono': 'hono',
  '@openai/openai': 'openai',
  '@panva/jose': 'jose',
  '@valibot/valibot': 'valibot',
  '@zod/zod': 'zod',
}

/** The npm package with the same code as JSR's `name`; null if there is none. */
export const npmNameOf = (name: string): string | null =>
  Object.hasOwn(sameOnNpm, name) ? sameOnNpm[name]! : null

/** The name under which JSR's npm registry has the package: `@std/encoding` is `@jsr/std__encoding` there. */
const compatibleName = (name: string): string => `@jsr/${name.slice(1).replace('/', '__')}`

/**
 * The installed package of JSR's `name`: installed by `npx jsr add` or from npm's JSR registry, else the same code from
 * npm. `as` is the name to import it by.
 */
export function findJsrPackage(name: string, from: string): { as: string; found: InstalledPackage } | null {
  const compatible = compatibleName(name)
  const direct = findPackage(compatible, from)
  if (direct) return { as: compatible, found: direct }
  // `npx jsr add` installs it under its JSR name; a package of that name from npm may be a different one.
  const alias = findPackage(name, from)
  if (alias?.name === compatible) return { as: name, found: alias }
  const npmName = npmNameOf(name)
  const found = npmName === null ? null : findPackage(npmName, from)
  return found && { as: npmName!, found }
}
