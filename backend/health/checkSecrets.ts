import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLocalFinding, type LocalFinding } from './LocalFinding.ts'

/** The state of each file with keys or passwords. `unreadable` is a matter of permissions, which another check reports. */
export interface SecretsFacts {
  hasDatabase: boolean
  files: { path: string; state: 'valid' | 'damaged' | 'missing' | 'unreadable' }[]
}

/** Judges the files with keys and passwords. */
export function judgeSecrets({ hasDatabase, files }: SecretsFacts): LocalFinding[] {
  const damaged = files.filter(({ state }) => state === 'damaged')
  const missing = hasDatabase ? files.filter(({ state }) => state === 'missing') : []
  if (damaged.length > 0)
    return [
      createLocalFinding(
        'secrets.damaged',
        {},
        { details: damaged.map(({ path }) => `${path} is not JSON.`) },
      ),
    ]
  if (missing.length > 0)
    return [
      createLocalFinding(
        'secrets.missing',
        {},
        { details: missing.map(({ path }) => `${path} is missing.`) },
      ),
    ]
  return files.some(({ state }) => state === 'valid') ? [createLocalFinding('secrets.complete', {})] : []
}

/** Reads whether the files with keys and passwords are valid. Their contents are not returned. */
export function readSecretFiles(dataDir: string): SecretsFacts {
  return {
    hasDatabase: existsSync(join(dataDir, 'postgres')),
    files: ['secrets.json', 'postgres-passwords.json'].map((name) => {
      const path = join(dataDir, name)
      return { path, state: stateOf(path) }
    }),
  }
}

function stateOf(path: string): SecretsFacts['files'][number]['state'] {
  try {
    const content: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return typeof content === 'object' && content !== null ? 'valid' : 'damaged'
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) return 'damaged'
    return code === 'ENOENT' ? 'missing' : 'unreadable'
  }
}
