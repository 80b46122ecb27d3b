import { join } from 'node:path'
import { fillLinnetData } from '../../supabase/tests/support/linnetData.ts'
import { bring, foundWorkspace } from './people.ts'
import { startServer, type Server } from './server.ts'

const root = join(import.meta.dirname, '../..')

/** Starts a server on new data, with a workspace of Ann and Bea. It takes a tenth of the time that the demo takes. */
export async function startWorkspace(dataDir: string): Promise<Server> {
  await fillLinnetData(dataDir)
  const server = await startServer({ root, dataDir, args: ['--no-app'] })
  const { ann, workspace, channel } = await foundWorkspace(server)
  await bring(server, ann, { workspace, channels: [channel], name: 'Bea' })
  return server
}
