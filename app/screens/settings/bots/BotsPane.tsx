import { i18n } from '@lingui/core'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import type { Bot } from '../../../../wire/bots.ts'
import { listBots } from '../../../data/people/bots.ts'
import { Avatar } from '../../../features/members/avatar/Avatar.tsx'
import { Button } from '../../../ui/Button.tsx'
import { formatDate } from '../../../ui/dates.ts'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { useAsync } from '../../../ui/useAsync.ts'
import { useDelayed } from '../../../ui/useDelayed.ts'
import { PHONE, useMedia } from '../../../ui/useMedia.ts'
import { PaneHeader } from '../../conversation/PaneHeader.tsx'
import styles from '../SettingsPane.module.css'
import { AddBot } from './AddBot.tsx'
import { BotSettings } from './BotSettings.tsx'
import bots from './bots.module.css'

/**
 * Bots and webhooks, for those who manage the workspace: the list, or the settings of one bot.
 * @param botId of the bot that is displayed; null for the list
 */
export default function BotsPane({ botId }: { botId: string | null }) {
  const [reloadKey, setReloadKey] = useState(0)
  const answer = useAsync(listBots, reloadKey)
  const late = useDelayed(!answer)
  const reload = () => setReloadKey(reloadKey + 1)
  const bot = answer?.ok ? answer.value.find(({ id }) => id === botId) : undefined
  const [, navigate] = useLocation()
  const isPhone = useMedia(PHONE)
  const back = botId === null ? '/settings' : '/settings/bots'
  const title = bot?.name ?? i18n._('Bots and webhooks')
  return (
    <section className={styles.settings} aria-label={title}>
      <PaneHeader title={title} back={back}>
        {isPhone ? null : (
          <Button variant="quiet" onClick={() => navigate(back)}>
            {botId === null ? i18n._('All settings') : i18n._('All bots')}
          </Button>
        )}
      </PaneHeader>
      <div className={styles.scroller}>
        <div className={styles.column}>
          {!answer ? (
            late ? (
              <Skeleton label={i18n._('Loading bots')} />
            ) : null
          ) : !answer.ok ? (
            <>
              <p role="alert">{answer.failure.message}</p>
              <div>
                <Button onClick={reload}>{i18n._('Try again')}</Button>
              </div>
            </>
          ) : botId === null ? (
            <BotList bots={answer.value} />
          ) : bot ? (
            <BotSettings key={bot.id} bot={bot} onChanged={reload} />
          ) : (
            <p>{i18n._('This bot doesn’t exist, or it was deactivated.')}</p>
          )}
        </div>
      </div>
    </section>
  )
}

function BotList({ bots: listed }: { bots: readonly Bot[] }) {
  const [isAdding, setAdding] = useState(false)
  return (
    <section className={styles.section} aria-label={i18n._('Bots')}>
      <p className={styles.muted}>
        {i18n._(
          'A bot lets a program read and write messages in channels that you choose. It can’t see anything else.',
        )}
      </p>
      <div>
        <Button variant="primary" onClick={() => setAdding(true)}>
          {i18n._('Add bot')}
        </Button>
      </div>
      {listed.length === 0 ? <p className={styles.muted}>{i18n._('No bots yet.')}</p> : null}
      <ul className={bots.list}>
        {listed.map((bot) => (
          <li key={bot.id}>
            <Link href={`/settings/bots/${bot.id}`} className={bots.link}>
              <Avatar id={bot.id} name={bot.name} size={36} />
              <span className={bots.details}>
                <bdi className={bots.name}>{bot.name}</bdi>
                <span className={styles.small}>{summary(bot)}</span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
      {isAdding ? <AddBot onClose={() => setAdding(false)} /> : null}
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
