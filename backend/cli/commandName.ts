import { relative } from 'node:path'

/**
 * The command as a person in the current directory types it: `bin/linnet` in a checkout, which does not install the command,
 * `npx linnet` if npx has started it, else `linnet`.
 */
export function commandName(script = process.argv[1] ?? '', cwd = process.cwd()): string {
  // npx is `npm exec`.
  if (process.env['npm_command'] === 'exec') return 'npx linnet'
  const path = relative(cwd, script)
  return path === 'bin/linnet' ? path : 'linnet'
}
