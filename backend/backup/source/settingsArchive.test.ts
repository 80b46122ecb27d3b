import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { extract } from 'tar-stream'
import { expect, it } from 'vitest'
import { readSettings } from './settingsArchive.ts'

it('the archive of settings contains neither databases nor the keys of certificates', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'linnet-settings-'))
  try {
    const omitted = [
      'postgres/PG_VERSION',
      'postgres-17/PG_VERSION',
      'postgres-next/postgres/PG_VERSION',
      'tls/account.json',
    ]
    const kept = ['linnet.toml', 'settings.json', 'postgres-passwords.json', 'mailbox/1.json']
    for (const path of [...omitted, ...kept, 'unreferenced-files/2026-11-30/a']) {
      mkdirSync(join(dataDir, dirname(path)), { recursive: true })
      writeFileSync(join(dataDir, path), 'x')
    }
    const names: string[] = []
    const entries = extract()
    Readable.from(readSettings(dataDir)).pipe(entries)
    for await (const entry of entries) {
      names.push(entry.header.name)
      entry.resume()
    }
    expect(names.toSorted()).toEqual(kept.toSorted())
  } finally {
    rmSync(dataDir, { recursive: true })
  }
})
