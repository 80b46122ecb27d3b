import { i18n } from '@lingui/core'
import { Suspense } from 'react'
import type { ChannelWithPermissions } from '../../data/channels/channels.ts'
import { lazyComponent } from '../../ui/lazyComponent.tsx'
import { AvatarGroup } from '../../features/parts/members/avatar/AvatarGroup.tsx'
import { isolateBidi } from '../../data/people/isolateBidi.ts'
import styles from './Conversation.module.css'
import { titleOf } from '../../features/parts/channels/titleOf.ts'

const IntroActions = lazyComponent(() => import('./IntroActions.tsx'), { preload: true })

/** The beginning of a conversation: what it is for, and suggestions while it is empty. */
export function ConversationIntro({ channel, empty }: { channel: ChannelWithPermissions; empty: boolean }) {
  const title = titleOf(channel)
  return (
    <div className={styles.intro}>
      {channel.kind === 'group' ? <AvatarGroup people={[...channel.people]} max={8} /> : null}
      <h2 className={styles.introTitle}>
        <bdi>{title}</bdi>
      </h2>
      <p className={styles.introText}>{introSentence(channel, empty)}</p>
      {channel.permissions.addPeople ? (
        <div className={styles.introActions}>
          <Suspense>
            <IntroActions channelId={channel.id} />
          </Suspense>
        </div>
      ) : null}
    </div>
  )
}

function introSentence(channel: ChannelWithPermissions, empty: boolean): string {
  if (channel.selfDirect) return i18n._('This is your space: drafts, links, to-dos. Only you can see it.')
  if (channel.kind === 'direct') {
    return i18n._('This is the start of your conversation with {name}. Only the two of you can see it.', {
      name: isolateBidi(channel.name),
    })
  }
  if (channel.kind === 'group') {
    const names = channel.people.map((person) => isolateBidi(person.name))
    return i18n._('This is the start of your conversation with {names}. Only people in it can see it.', {
      names: new Intl.ListFormat(i18n.locale).format(names),
    })
  }
  if (empty) return i18n._('No messages yet. Say hello, or post what this channel is for.')
  return channel.entry.channel.topic || i18n._('This is the very beginning.')
}
