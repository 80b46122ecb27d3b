import { i18n } from '@lingui/core'
import { useState } from 'react'
import { Link } from '../../../ui/Link.tsx'
import { pathTo } from '../../../paths.ts'
import type { Bot } from '../../../../wire/bots.ts'
import { botList } from '../../../data/bots/bots.ts'
import { useQuery } from '../../../data/queries/useQuery.ts'
import { LoadTogether } from '../../../features/parts/lists/LoadTogether.tsx'
import { QueryContent } from '../../../features/parts/lists/QueryContent.tsx'
import { Avatar } from '../../../features/parts/members/avatar/Avatar.tsx'
import { Button } from '../../../ui/Button.tsx'
import { formatDate } from '../../../ui/dates.ts'
import { PaneFrame } from '../PaneFrame.tsx'
import styles from '../SettingsPane.module.css'
import { AddBot } from './AddBot.tsx'
import { BotSettings } from './BotSettings.tsx'
import bots from './bots.module.css'

/**
 * Bots and webhooks, for those who manage the workspace: the list, or the settings of one bot.
 * @param botId the bot that is displayed; null for the list
 */
export default function BotsPane({ botId = null }: { botId?: string | null }) {
  const query = useQuery(botList)
  const bot = query.value?.find(({ id }) => id === botId)
  const [isAdding, setAdding] = useState(false)
  return (
    <PaneFrame
      key={botId}
      title={bot?.name ?? i18n._('Bots and webhooks')}
      {...(botId === null
        ? {
            hint: i18n._(
              'A bot lets a program read and write messages in channels that you choose. It can’t see anything else.',
            ),
            action: (
              <Button variant="primary" onClick={() => setAdding(true)}>
                {i18n._('Add bot')}
              </Button>
            ),
          }
        : { back: pathTo('botSettings'), backWithin: 'all' })}
    >
      <LoadTogether>
        <QueryContent query={query} loading={i18n._('Loading bots')}>
          {(listed) =>
            botId === null ? (
              <BotList bots={listed} />
            ) : bot ? (
              <BotSettings key={bot.id} bot={bot} />
            ) : (
              <p>{i18n._('This bot doesn’t exist, or it was deactivated.')}</p>
            )
          }
        </QueryContent>
      </LoadTogether>
      {isAdding ? <AddBot onClose={() => setAdding(false)} /> : null}
    </PaneFrame>
  )
}

function BotList({ bots: listed }: { bots: readonly Bot[] }) {
  const unmanaged = listed.reduce((sum, bot) => sum + bot.unmanaged, 0)
  return (
    <section className={styles.section} aria-label={i18n._('Bots')}>
      {unmanaged > 0 ? (
        <p role="note" className={bots.review}>
          {i18n._(
            '{count, plural, one {# token, webhook or command was created by someone who no longer manages this workspace.} other {# tokens, webhooks and commands were created by people who no longer manage this workspace.}}',
            { count: unmanaged },
          )}{' '}
          {i18n._(
            'Integrations keep working, and the people who created them may still know their secrets. Open each marked bot below, then replace, keep or delete what is marked there. To end everything that one person created, select that person under “Manage people”.',
          )}
        </p>
      ) : null}
      {listed.length === 0 ? <p className="muted">{i18n._('No bots yet.')}</p> : null}
      <ul className={bots.list}>
        {listed.map((bot) => (
          <li key={bot.id}>
            <Link href={pathTo('bot', { botId: bot.id })} className={bots.link}>
              <Avatar id={bot.id} name={bot.name} size={36} />
              <span className={bots.details}>
                <bdi className={bots.name}>{bot.name}</bdi>
                <span className="note">{summary(bot)}</span>
                {bot.unmanaged > 0 ? (
                  <span className={bots.mark}>{i18n._('{count} to review', { count: bot.unmanaged })}</span>
                ) : null}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}

function summary({ token, channels, hidden_channels }: Bot): string {
  const count = channels.length + hidden_channels
  const parts = [
    i18n._('{count, plural, one {# channel} other {# channels}}', { count }),
    token ? i18n._('token expires {date}', { date: formatDate(token.expires_at) }) : i18n._('no token'),
  ]
  return parts.join(' · ')
}
