import { i18n } from '@lingui/core'
import { useProfile } from '../../../data/people/people.ts'
import { useMe } from '../../members/MeContext.ts'
import { InlinePersonButton } from '../../members/PersonButton.tsx'
import styles from './Mention.module.css'

/** A mention in a message: red if it mentions the reader, else in the colour of links. */
export function Mention({ who }: { who: string }) {
  const me = useMe()
  if (who === 'channel' || who === 'here') return <span className={styles.group}>@{who}</span>
  return <Person id={who} mine={who === me.profile.id} />
}

function Person({ id, mine }: { id: string; mine: boolean }) {
  const profile = useProfile(id)
  return (
    <InlinePersonButton id={id} className={mine ? styles.self : styles.group}>
      <bdi>@{profile?.name ?? i18n._('someone')}</bdi>
    </InlinePersonButton>
  )
}
