import type { Queryable } from '../../rows/findUser.ts'
import type { Pool } from '../../../postgres/connections/pool.ts'
import type { RenderedMail } from '../templates/mailTemplates.ts'

/** A mail in the queue. */
export interface QueuedMail {
  id: string
  kind: string
  recipient: string
  subject: string
  html: string
  plain: string
  /** Including the current one. */
  attempts: number
  claim: string
}

/** A mail that was not delivered and is dropped. */
export interface DroppedMail {
  id: string
  kind: string
  /** Whether a mail server may have accepted it without confirming that. */
  mayBeSent: boolean
}

/**
 * The duration of a claim without renewal, in seconds: a mail of a killed server waits this long for another.
 */
const claimSeconds = 30

/**
 * Mails in linnet_platform.mails. A server claims a mail before it sends it, and checks its claim again before
 * the last step: so two servers on one database never send a mail twice, and those of a killed server are sent
 * by another.
 */
export interface MailQueue {
  /** Adds a mail in the transaction `db`. */
  add(db: Queryable, mail: RenderedMail & { kind: string; to: string; expiresInMs: number }): Promise<void>
  /** Claims the next mail that is due; null if there is none. */
  claim(): Promise<QueuedMail | null>
  /** False if the claim has ended. */
  renew(mail: QueuedMail): Promise<boolean>
  /**
   * Stores that the end of the mail is about to be sent. False if the claim has ended: then it must not be
   * sent.
   */
  markDelivering(mail: QueuedMail): Promise<boolean>
  /** Deletes a mail that was sent, or never will be. */
  remove(mail: QueuedMail): Promise<void>
  /** Releases a mail that was certainly not sent, for another attempt after this time. */
  release(mail: QueuedMail, afterMs: number): Promise<void>
  /** Deletes expired mails, and those that may have been sent when their server was killed. */
  sweep(): Promise<DroppedMail[]>
  /** The time until the next mail is due, in ms; null if there is none. */
  msUntilDue(): Promise<number | null>
}

export function createMailQueue(pool: Pool): MailQueue {
  const updateClaimed = (text: string, mail: QueuedMail, ...more: unknown[]): Promise<boolean> =>
    pool
      .query(`${text} where id = $1 and claim = $2`, [mail.id, mail.claim, ...more])
      .then(({ rowCount }) => rowCount === 1)
  return {
    async add(db, { kind, to, subject, html, text, expiresInMs }) {
      await db.query({
        name: 'auth_mail_add',
        text: `insert into linnet_platform.mails (kind, recipient, subject, html, plain, expires_at)
               values ($1, $2, $3, $4, $5, now() + $6 * interval '1 ms')`,
        values: [kind, to, subject, html, text, expiresInMs],
      })
    },
    async claim() {
      const { rows } = await pool.query<QueuedMail & Record<string, unknown>>(
        `update linnet_platform.mails set claim = gen_random_uuid(), attempts = attempts + 1,
           due_at = now() + $1 * interval '1 s'
         where id = (select id from linnet_platform.mails
           where due_at <= now() and handed_at is null and expires_at > now()
           order by due_at limit 1 for update skip locked)
         returning id, kind, recipient, subject, html, plain, attempts, claim`,
        [claimSeconds],
      )
      return rows[0] ?? null
    },
    renew: (mail) =>
      updateClaimed(
        `update linnet_platform.mails set due_at = now() + $3 * interval '1 s'`,
        mail,
        claimSeconds,
      ),
    markDelivering: (mail) =>
      pool
        .query(
          `update linnet_platform.mails set handed_at = now(), due_at = now() + $3 * interval '1 s'
           where id = $1 and claim = $2 and due_at > now() and handed_at is null`,
          [mail.id, mail.claim, claimSeconds],
        )
        .then(({ rowCount }) => rowCount === 1),
    remove: (mail) => updateClaimed('delete from linnet_platform.mails', mail).then(() => {}),
    release: (mail, afterMs) =>
      updateClaimed(
        `update linnet_platform.mails set claim = null, handed_at = null,
           due_at = now() + $3 * interval '1 ms'`,
        mail,
        afterMs,
      ).then(() => {}),
    async sweep() {
      const { rows } = await pool.query<{ id: string; kind: string; left: boolean }>(
        `delete from linnet_platform.mails
         where due_at <= now() and handed_at is not null
           or expires_at <= now() and (claim is null or due_at <= now())
         returning id, kind, handed_at is not null as left`,
      )
      return rows.map(({ id, kind, left }) => ({ id, kind, mayBeSent: left }))
    },
    async msUntilDue() {
      const { rows } = await pool.query<{ wait: number | null }>(
        `select extract(epoch from min(due_at) - now())::float8 * 1000 as wait from linnet_platform.mails`,
      )
      return rows[0]?.wait ?? null
    },
  }
}
