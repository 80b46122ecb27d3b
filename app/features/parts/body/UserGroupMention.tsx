import { i18n } from '@lingui/core'
import { useUserGroups } from '../../../data/userGroups/useUserGroups.ts'
import styles from './Mention.module.css'

/** A mention of a group: red if the reader is in it. `id`: "&" and its id. */
export function UserGroupMention({ id }: { id: string }) {
  const group = useUserGroups().find((one) => one.id === id)
  return (
    <span className={group?.hasReader ? styles.self : styles.group} title={group?.description || undefined}>
      <bdi>@{group?.name ?? i18n._('a group')}</bdi>
    </span>
  )
}
