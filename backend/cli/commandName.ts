import { relative } from 'node:path'

/**
 * The command as a person in the current directory types it: `bin/linnet` in a checkout, which does not install the command,
 * else `linnet`.
 */
export function commandName(script = process.argv[1] ?? '', cwd = process.cwd()): string {
  const path = relative(cwd, script)
  return path === 'bin/linnet' ? path : 'linnet'
}
