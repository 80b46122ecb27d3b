import { i18n } from '@lingui/core'
import { useState, type ReactNode } from 'react'
import { archiveChannel, updateChannel } from '../../../data/channels/channelCommands.ts'
import type { ChannelView } from '../../../data/channels/channels.ts'
import { Button } from '../../../ui/Button.tsx'
import { Check } from '../../../ui/Check.tsx'
import { useNotice } from '../../../ui/notice.ts'
import sheet from '../../../ui/Sheet.module.css'
import { useOverlay } from '../../overlays/OverlayContext.ts'
import { useMe } from '../../people/MeContext.ts'
import { comingBack, comingBackWords } from '../comingBack.ts'
import { kindSentence } from '../kindSentence.ts'
import type { ChannelPerson } from '../useChannelPeople.ts'
import { Confirm } from './Confirm.tsx'
import styles from './Details.module.css'
import { Visibility } from './Visibility.tsx'

interface Props {
  channel: ChannelView
  people: ChannelPerson[] | null
}

/** Who writes, who sees it, its end, and the way out. */
export function Rules({ channel, people }: Props) {
  const open = useOverlay()
  const notice = useNotice()
  const me = useMe()
  const [asked, setAsked] = useState<'visibility' | 'archive' | null>(null)
  const { rights } = channel
  const { posting } = channel.entry.channel
  const isPrivate = channel.kind === 'private'
  const end = () => setAsked(null)
  const setPosting = async (admins: boolean) => {
    const outcome = await updateChannel(channel.id, { posting: admins ? 'admins' : 'everyone' })
    if (!outcome.ok) notice({ words: outcome.failure.sentence })
  }
  const reopen = async () => {
    const outcome = await archiveChannel(channel.id, false)
    if (!outcome.ok) notice({ words: outcome.failure.sentence })
  }
  return (
    <div className={sheet.body}>
      {rights.manage ? (
        <>
          <div className={styles.rule}>
            <Check
              label={i18n._('Announcement channel')}
              hint={i18n._('Only channel managers can post; everyone can read and react.')}
              checked={posting === 'admins'}
              onChange={(on) => void setPosting(on)}
            />
          </div>
          <Rule
            name={isPrivate ? i18n._('Private') : i18n._('Public')}
            words={kindSentence(channel.kind)}
            action={
              <Button onClick={() => setAsked('visibility')}>
                {isPrivate ? i18n._('Make public') : i18n._('Make private')}
              </Button>
            }
          />
        </>
      ) : null}
      {rights.archive ? (
        <Rule
          name={channel.archived ? i18n._('Archived') : i18n._('Archive')}
          words={
            channel.archived
              ? i18n._('It stays readable and searchable, but nobody can post.')
              : i18n._(
                  'Archive a channel when you’re done with it. It stays readable and searchable, but nobody can post.',
                )
          }
          action={
            channel.archived ? (
              <Button onClick={() => void reopen()}>{i18n._('Unarchive')}</Button>
            ) : (
              <Button onClick={() => setAsked('archive')}>{i18n._('Archive')}</Button>
            )
          }
        />
      ) : null}
      {rights.leave ? (
        <Rule
          name={i18n._('Leave')}
          words={comingBackWords(comingBack(channel.kind, channel.archived, me.role))}
          action={
            <Button onClick={() => open({ kind: 'leave-channel', channelId: channel.id })}>
              {i18n._('Leave channel')}
            </Button>
          }
        />
      ) : null}
      {asked === 'visibility' ? <Visibility channel={channel} people={people} onClose={end} /> : null}
      {asked === 'archive' ? (
        <Confirm
          title={i18n._('Archive this channel')}
          action={i18n._('Archive')}
          run={() => archiveChannel(channel.id, true)}
          onClose={end}
        >
          <p>
            {i18n._(
              'Nobody will be able to post, react or join until a channel manager unarchives it. It leaves everyone’s sidebar but stays readable and searchable.',
            )}
          </p>
        </Confirm>
      ) : null}
    </div>
  )
}

function Rule({ name, words, action }: { name: string; words: string; action: ReactNode }) {
  return (
    <div className={styles.rule}>
      <div>
        <p className={styles.ruleName}>{name}</p>
        <p className={sheet.small}>{words}</p>
      </div>
      {action}
    </div>
  )
}
