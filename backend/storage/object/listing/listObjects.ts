import { runAsCaller } from '../../../postgres/connections/runAsCaller.ts'
import { readBucketName } from '../readTarget.ts'
import { authenticate } from '../../authenticate.ts'
import { JsonBody } from '../../JsonBody.ts'
import { operations } from '../../operations.ts'
import { requestSettings } from '../../requestSettings.ts'
import type { Storage, StorageRoute } from '../../Storage.ts'
import type { ObjectRow } from '../objectRows.ts'

const sortColumns = ['name', 'updated_at', 'created_at', 'last_accessed_at'] as const

/**
 * `POST /object/list/:bucket` with `{prefix, limit, offset, sortBy, search}`: one level below a folder,
 * folders as names without an id. Needs SELECT; other objects are not listed.
 */
export const listObjects =
  (storage: Storage): StorageRoute =>
  async (c) => {
    const caller = await authenticate(storage, c)
    const bucket = readBucketName(c)
    const body = await JsonBody.read(c.env.incoming)
    const folder = body.text('prefix')
    const sortBy = body.optionalObject('sortBy')
    const search = body.optionalText('search') ?? ''
    const values = [
      folder && !folder.endsWith('/') ? `${folder}/` : folder,
      bucket,
      body.optionalInteger('limit', 1) ?? 100,
      body.optionalInteger('offset', 0) ?? 0,
      search,
      sortBy?.requiredOneOf('column', sortColumns) ?? 'name',
      sortBy?.oneOf('order', ['asc', 'desc']) ?? 'asc',
    ]
    const [found] = await runAsCaller(
      storage.pool,
      { caller, readOnly: true, settings: requestSettings(c, operations.listObjects) },
      [{ name: 'storage_list', text: 'select * from storage.search($1, $2, $3, 1, $4, $5, $6, $7)', values }],
    )
    const rows = found!.rows as ObjectRow[]
    return c.json(
      rows.map((row) => ({
        name: row.name,
        id: row.id,
        updated_at: row.updated_at,
        created_at: row.created_at,
        last_accessed_at: row.last_accessed_at,
        metadata: row.metadata,
      })),
    )
  }
