import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const checkout = join(import.meta.dirname, '../..')

/**
 * Writes an unpacked package of Linnet that runs the built server of the checkout, so that nothing has to be copied and installed.
 * The caller adds its `supabase` folder.
 */
export function createVersion(packageDir: string, version: string): void {
  mkdirSync(join(packageDir, 'bin'), { recursive: true })
  writeFileSync(
    join(packageDir, 'bin/linnet.mjs'),
    `import { join } from 'node:path'
const { runCommand } = await import(${JSON.stringify(join(checkout, '.linnet-releases/current/dist/linnet.js'))})
process.exitCode = await runCommand(process.argv.slice(2), join(import.meta.dirname, '..'))
`,
  )
  const { optionalDependencies } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as {
    optionalDependencies: Record<string, string>
  }
  const manifest = {
    name: 'linnet',
    version,
    type: 'module',
    bin: { linnet: 'bin/linnet.mjs' },
    optionalDependencies,
  }
  writeFileSync(join(packageDir, 'package.json'), JSON.stringify(manifest))
}
