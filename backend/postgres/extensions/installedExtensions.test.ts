import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, expect, it, vi } from 'vitest'
import { migrate } from '../schema/migrate.ts'
import { findBinaries } from '../server/binaries.ts'
import { temporaryPostgres } from '../server/temporaryPostgres.ts'
import { findInstalledExtensions } from './installedExtensions.ts'

const root = mkdtempSync(join(tmpdir(), "linnet-o'neil-"))
// PostgreSQL may run as another user.
chmodSync(root, 0o755)
afterAll(() => rmSync(root, { recursive: true }))

/** Stands for pgvector: a control file, SQL, and a library that is not in the package. */
function writeVector(folder: string): string {
  for (const name of ['extension', 'lib']) mkdirSync(join(folder, name), { recursive: true })
  writeFileSync(
    join(folder, 'extension/vector.control'),
    `default_version = '0.8.1'\nmodule_pathname = '$libdir/vector'\nrelocatable = true\n`,
  )
  writeFileSync(
    join(folder, 'extension/vector--0.8.1.sql'),
    `create function moddatetime() returns trigger as 'MODULE_PATHNAME' language c;`,
  )
  copyFileSync(join(findBinaries().root, 'lib/postgresql/moddatetime.so'), join(folder, 'lib/vector.so'))
  return folder
}

it.runIf(process.platform === 'linux')(
  'a migration creates an extension of a folder that LINNET_EXTENSIONS names',
  async () => {
    vi.stubEnv('LINNET_EXTENSIONS', writeVector(join(root, 'pgvector')))
    const supabase = join(root, 'supabase')
    mkdirSync(join(supabase, 'migrations'), { recursive: true })
    writeFileSync(
      join(supabase, 'migrations/1_vector.sql'),
      'create extension vector with schema extensions;',
    )
    const postgres = await temporaryPostgres()
    try {
      await migrate({ postgres, dir: supabase, log: { info() {}, warn() {}, error() {} } })
      const { rows } = await postgres
        .pool('postgres')
        .query(
          `select extversion, extnamespace::regnamespace::text as schema from pg_extension where extname = 'vector'`,
        )
      expect(rows).toEqual([{ extversion: '0.8.1', schema: 'extensions' }])
    } finally {
      vi.unstubAllEnvs()
      await postgres.stop()
    }
  },
)

it('accepts several folders, and refuses an invalid one', () => {
  const folders = ['a', 'b'].map((name) => writeVector(join(root, name)))
  expect(findInstalledExtensions(18, folders.join(delimiter)).slice(0, 2)).toEqual(
    folders.map((folder) => ({ control: folder, libraries: join(folder, 'lib') })),
  )
  for (const wrong of [join(root, 'none'), 'relative', '/']) {
    expect(() => findInstalledExtensions(18, wrong)).toThrow(
      `LINNET_EXTENSIONS must list absolute paths of folders`,
    )
  }
  // No PostgreSQL of that version is installed.
  expect(findInstalledExtensions(4, '')).toEqual([])
})
