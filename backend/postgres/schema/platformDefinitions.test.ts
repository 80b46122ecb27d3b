import { Client } from 'pg'
import { expect, it } from 'vitest'
import { finishRecording, startRecording } from '../../optional/schemaDiff/recordCommands.ts'
import { temporaryPostgres } from '../server/temporaryPostgres.ts'
import { platformFiles } from './platformFiles.ts'

// The files run again when they change, with "create or replace". PostgreSQL therefore accepts a second definition.
it('the files of the platform define each function, table and view once', async () => {
  const postgres = await temporaryPostgres()
  const { options: _, ...config } = postgres.config('supabase_admin')
  const server = new Client(config)
  await server.connect()
  await server.query('create database definitions template template0')
  await server.end()
  const admin = new Client({ ...config, database: 'definitions' })
  await admin.connect()
  try {
    await admin.query('create schema linnet_platform')
    await startRecording(admin)
    for (const { sql } of platformFiles()) {
      await admin.query('begin; set local search_path to pg_catalog')
      await admin.query(sql)
      await admin.query('commit')
    }
    const created = (await finishRecording(admin))
      .filter(
        ({ tag, identity }) =>
          /^CREATE (?:FUNCTION|TABLE|VIEW)$/.test(tag) && /^(?:function|table|view) /.test(identity ?? ''),
      )
      .map(({ identity }) => identity)
    expect(created.length).toBeGreaterThan(100)
    expect(created.filter((one, at) => created.indexOf(one) !== at)).toEqual([])
  } finally {
    await admin.end()
    await postgres.stop()
  }
})
