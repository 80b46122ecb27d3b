import { i18n } from '@lingui/core'
import { useGroups } from '../../../data/groups/groups.ts'
import styles from './Mention.module.css'

/** A mention of a group: red if the reader is in it. `id`: "&" and its id. */
export function GroupMention({ id }: { id: string }) {
  const group = useGroups().find((one) => one.id === id)
  return (
    <span className={group?.isOwn ? styles.self : styles.group} title={group?.description || undefined}>
      <bdi>@{group?.name ?? i18n._('a group')}</bdi>
    </span>
  )
}
