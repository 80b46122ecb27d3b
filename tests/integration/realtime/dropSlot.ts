import { expect } from 'vitest'
import type { TestRealtime } from './startRealtime.ts'

/** Ends the connection that sends the log, once there is one. */
export async function endLogSender(realtime: Pick<TestRealtime, 'serviceSql'>): Promise<void> {
  const end = async (): Promise<number | null> => {
    const { rowCount } = await realtime.serviceSql(
      'select pg_terminate_backend(active_pid) from pg_replication_slots where active_pid is not null',
    )
    return rowCount
  }
  await expect.poll(end).toBeGreaterThan(0)
}

/** Drops the slot that keeps the log of messages for the service. */
export async function dropSlot(realtime: Pick<TestRealtime, 'serviceSql'>): Promise<void> {
  const drop = async (): Promise<number | null> => {
    await endLogSender(realtime)
    // While it is idle, which lasts for a moment: a reader that was quicker has it drop nothing.
    const dropped = realtime.serviceSql(
      `select pg_drop_replication_slot(slot_name) from pg_replication_slots
       where slot_name like '%messages%' and not active`,
    )
    return dropped.then(
      ({ rowCount }) => rowCount,
      () => 0,
    )
  }
  await expect.poll(drop).toBe(1)
}
