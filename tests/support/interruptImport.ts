import { tmpdir } from 'node:os'
import { Client } from 'pg'
import { createProjectServices } from '../../backend/optional/archive/projectServices.ts'
import { importExport, type ImportReceipt } from '../../backend/optional/import/importExport.ts'
import { products } from '../../backend/optional/import/products.ts'
import type { Product } from '../../backend/optional/import/ExportReader.ts'
import type { Server } from './server.ts'

/** An export, and the workspace that imports it. */
export interface InterruptedImport {
  server: Server
  workspaceId: string
  product: Product
  path: string
}

/** The receipt of a dry run. */
export const countExport = (o: InterruptedImport): Promise<ImportReceipt> =>
  runImport(o, { isDryRun: true, count: async () => {} })

/**
 * Imports until a number of queries and files, or until the first picture of a custom emoji. Then the connections end, as they do if
 * the process is killed.
 * @returns whether the import was interrupted; false if it ended before
 */
export async function interruptImport(o: InterruptedImport, moment: number | 'emoji'): Promise<boolean> {
  let remaining = moment === 'emoji' ? Number.MAX_SAFE_INTEGER : moment
  let isInterrupted = false
  try {
    await runImport(o, {
      isDryRun: false,
      count: async (end, picture) => {
        const isEmoji = picture?.startsWith(`${o.workspaceId}/`) ?? false
        if (remaining-- > 0 && !(moment === 'emoji' && isEmoji)) return
        isInterrupted = true
        await end()
        throw new Error('The process was killed.')
      },
    })
    return false
  } catch (error) {
    if (isInterrupted) return true
    throw error
  }
}

/** Called before each query and file, with the name of a picture. `end` ends the connections. */
type Count = (end: () => Promise<void>, picture?: string) => Promise<void>

async function runImport(
  { server, workspaceId, product, path }: InterruptedImport,
  { isDryRun, count }: { isDryRun: boolean; count: Count },
): Promise<ImportReceipt> {
  const { url, secretKey, dbUrl } = server
  const clients: Client[] = []
  const connect = async (): Promise<Client> => {
    const client = new Client(dbUrl)
    client.on('error', () => {})
    clients.push(client)
    await client.connect()
    return client
  }
  const end = async (): Promise<void> => {
    await Promise.all(clients.splice(0).map((client) => client.end()))
  }
  const services = createProjectServices({ url, secretKey })
  const reader = await products[product].open(path, {})
  try {
    const writing = await connect()
    const query = writing.query.bind(writing) as (...args: unknown[]) => Promise<unknown>
    Object.assign(writing, {
      query: async (...args: unknown[]) => {
        await count(end)
        return query(...args)
      },
    })
    return await importExport({
      reader,
      database: await connect(),
      workspaceId,
      site: url,
      directory: tmpdir(),
      name: 'Acme',
      importedBy: null,
      writer: isDryRun
        ? null
        : {
            database: writing,
            connect,
            services: {
              ...services,
              storeObject: async (file) => {
                await count(end, file.bucket === 'avatars' ? file.name : undefined)
                return services.storeObject(file)
              },
            },
          },
      fetchFile: null,
    })
  } finally {
    reader.close()
    await end()
  }
}
