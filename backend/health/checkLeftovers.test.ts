import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { expect, it } from 'vitest'
import { findLeftovers } from './checkLeftovers.ts'

it('finds what interrupted work has left behind, and no other file', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'linnet-leftovers-'))
  try {
    const left = [
      'secrets.json.new',
      'backup-writer.json.new.0a1b2c3d',
      'postgres.new-12',
      'backup-state/wal.json.new.0a1b2c3d',
      'postgres/pgsql_tmp.linnet-archive.json.new.0a1b2c3d',
      'postgres/linnet-vault.key.new',
      'backups/2026-11-30.partial',
    ]
    const others = [
      'secrets.json',
      'linnet.toml.new',
      'postgres/postmaster.opts.new',
      'backup-state/wal.json',
      'postgres/linnet-archive.json',
    ]
    for (const path of [...left, ...others]) {
      mkdirSync(join(dataDir, dirname(path)), { recursive: true })
      writeFileSync(join(dataDir, path), 'x')
    }
    const found = findLeftovers(dataDir).map(({ path }) => relative(dataDir, path))
    expect(found.toSorted()).toEqual(left.toSorted())
  } finally {
    rmSync(dataDir, { recursive: true })
  }
})
