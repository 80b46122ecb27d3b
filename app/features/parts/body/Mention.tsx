import { i18n } from '@lingui/core'
import { Suspense, use } from 'react'
import { useProfile } from '../../../data/people/people.ts'
import { useMe } from '../members/MeContext.ts'
import { InlinePersonButton } from '../members/PersonButton.tsx'
import styles from './Mention.module.css'
import { MessageContext } from './MessageContext.ts'
import { lazyComponent } from '../../../ui/lazyComponent.tsx'

const NamedMention = lazyComponent(() => import('./NamedMention.tsx'), { preload: true })

/** A mention in a message: red if it mentions the reader, else in the colour of links. Of an action, its author. */
export function Mention({ who }: { who: string }) {
  const me = useMe()
  if (who === 'channel' || who === 'here') return <span className={styles.group}>@{who}</span>
  if (who === 'me') return <Author />
  if (/^[#&]/.test(who)) {
    return (
      <Suspense fallback="…">
        <NamedMention who={who} />
      </Suspense>
    )
  }
  return <Person id={who} mine={who === me.profile.id} />
}

/** Outside of a message it is the reader, whose message is not sent yet. */
function Author() {
  const me = useMe().profile.id
  const profile = useProfile(use(MessageContext)?.message.author_id ?? me)
  return <bdi className={styles.author}>{profile?.name ?? i18n._('Former member')}</bdi>
}

function Person({ id, mine }: { id: string; mine: boolean }) {
  const profile = useProfile(id)
  return (
    <InlinePersonButton id={id} className={mine ? styles.self : styles.group}>
      <bdi>@{profile?.name ?? i18n._('someone')}</bdi>
    </InlinePersonButton>
  )
}
