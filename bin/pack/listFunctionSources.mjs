import { existsSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { root } from '../setup.mjs'

const folder = join(root, 'supabase/functions')

/**
 * Returns the sources of Linnet's Edge Functions with all modules that they import from other directories, as paths from the
 * root, and the names of the packages that they import. The server bundles the functions from these sources.
 * @returns {Promise<{ files: string[]; packages: string[] }>}
 */
export async function listFunctionSources() {
  const { rolldown } = await import('rolldown')
  /** @type {Set<string>} */
  const files = new Set()
  const entries = readdirSync(folder).map((name) => join(folder, name, 'index.ts'))
  const bundle = await rolldown({
    input: entries.filter((path) => existsSync(path)),
    platform: 'node',
    tsconfig: false,
    logLevel: 'silent',
    external: (id) => !/^[./]/.test(id),
    plugins: [
      {
        name: 'list-sources',
        // The bundler can drop a module from the output. The server still resolves its import, so the package needs it.
        moduleParsed: ({ id }) => {
          if (id.startsWith('/')) files.add(relative(root, id))
        },
      },
    ],
  })
  const { output } = await bundle.generate({ format: 'esm' })
  await bundle.close()
  /** @type {Set<string>} */
  const packages = new Set()
  for (const chunk of output) {
    if (chunk.type !== 'chunk') continue
    for (const specifier of [...chunk.imports, ...chunk.dynamicImports]) {
      const name = /^(?:npm:)?((?:@[\w.-]+\/)?[a-z][\w.-]*)/.exec(specifier)?.[1]
      if (name !== undefined && !specifier.startsWith('node:')) packages.add(name)
    }
  }
  return { files: [...files].sort(), packages: [...packages].sort() }
}
