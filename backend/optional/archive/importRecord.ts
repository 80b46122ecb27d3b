import { runInTransaction, type Connection } from './importTransaction.ts'
import { ArchiveError } from './ImportRequest.ts'

/** The source of an import, as the list of imports shows it. */
export interface ImportSource {
  /** The product, such as `slack`. */
  product: string
  /** The name of the workspace or server in the product, the same in each import of it. At most 200 characters. */
  sourceName: string
  /** The profile of the owner who imports; null: the operator of the server. */
  importedBy: string | null
}

/**
 * Records that an import begins. Channels and imported people that it creates have the returned id as `import_id`, so that owners
 * can undo it. An import of the same source that was interrupted has the same id. Throws ArchiveError while an undo is in progress.
 */
export async function beginImport(
  database: Connection,
  workspaceId: string,
  { product, sourceName, importedBy }: ImportSource,
): Promise<string> {
  const { rows } = await database.query<{ id: string | null }>(
    'select app.begin_import($1, $2, $3, $4) as id',
    [workspaceId, product, sourceName, importedBy],
  )
  const id = rows[0]!.id
  if (id === null)
    throw new ArchiveError('An earlier import is still being undone. Try again in a few minutes.')
  return id
}

/** Records the end of an import with its receipt. An import that has created nothing leaves no record. */
export async function finishImport(database: Connection, importId: string, receipt: object): Promise<void> {
  await runInTransaction(database, () =>
    database.query('select app.finish_import($1, $2)', [importId, JSON.stringify(receipt)]),
  )
}
