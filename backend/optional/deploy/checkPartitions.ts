import { connectToUrl } from '../../postgres/connections/connectToUrl.ts'
import { missingPartitions } from '../../realtime/broadcast/missingPartitions.ts'
import type { Findings } from './Report.ts'

/**
 * Checks that realtime.messages can store the broadcasts of today and tomorrow. The realtime service creates its
 * partitions when a client connects, so this comes after a check that connects to it.
 */
export async function checkPartitions(dbUrl: string, findings: Findings): Promise<void> {
  try {
    const client = await connectToUrl(dbUrl, 'linnet deploy --check')
    try {
      const days = await missingPartitions(client)
      if (days.length === 0) return
      findings.reportMissing(
        'partitions',
        `realtime.messages has no partition for ${days.join(' and ')} (UTC): broadcasts of the database on these days are dropped without an error, and the application shows changes only after a reload. The realtime service creates partitions when a client connects and once a day: open the application and check again; if they are still missing, read the log of the realtime service.`,
      )
    } finally {
      await client.end()
    }
  } catch (error) {
    findings.reportMissing(
      'database',
      `The partitions of realtime.messages can't be read: ${(error as Error).message}`,
    )
  }
}
