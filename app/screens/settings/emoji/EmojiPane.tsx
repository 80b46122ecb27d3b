import { i18n } from '@lingui/core'
import { useState } from 'react'
import type { CustomEmoji } from '../../../../wire/emoji.ts'
import { deleteEmoji } from '../../../data/emoji/changeEmoji.ts'
import { canAddEmoji, isOwnerOrAdmin } from '../../../data/workspaces/workspacePermissions.ts'
import { useCustomEmoji } from '../../../data/emoji/customEmoji.ts'
import { useMember } from '../../../data/people/people.ts'
import { setWorkspaceOptions } from '../../../data/workspaces/workspaceSettings.ts'
import { EmojiText } from '../../../features/parts/emoji/EmojiText.tsx'
import { useMe } from '../../../features/parts/members/MeContext.ts'
import { Button } from '../../../ui/Button.tsx'
import { PaneFrame } from '../PaneFrame.tsx'
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx'
import { SettingChoice } from '../SettingChoice.tsx'
import { SettingsSection } from '../SettingsSection.tsx'
import listStyles from '../SettingsList.module.css'
import { AddEmoji } from './AddEmoji.tsx'
import { EmojiNames } from './EmojiNames.tsx'
import styles from './EmojiPane.module.css'

/** The custom emoji of the workspace: adding, renaming and deleting them, and who may add them. */
export default function EmojiPane() {
  const { role, workspace } = useMe()
  const emoji = useCustomEmoji()
  const mayAdd = canAddEmoji({ workspace, role })
  return (
    <PaneFrame hint={mayAdd ? undefined : i18n._('Only owners and admins can add custom emoji.')}>
      {mayAdd ? <AddEmoji /> : null}
      <SettingsSection title={i18n._('All custom emoji')}>
        {emoji.length ? (
          <ul className={listStyles.list}>
            {emoji.map((one) => (
              <EmojiRow key={one.id} emoji={one} />
            ))}
          </ul>
        ) : (
          <p className="muted">{i18n._('No custom emoji yet.')}</p>
        )}
      </SettingsSection>
      {isOwnerOrAdmin({ role }) ? <WhoMayAdd /> : null}
    </PaneFrame>
  )
}

function EmojiRow({ emoji }: { emoji: CustomEmoji }) {
  const { profile, role, workspace } = useMe()
  const author = useMember(emoji.author_id)
  const [open, setOpen] = useState<'names' | 'delete' | null>(null)
  const mayChange =
    isOwnerOrAdmin({ role }) || (emoji.author_id === profile.id && canAddEmoji({ workspace, role }))
  const name = `:${emoji.name}:`
  const close = () => setOpen(null)
  return (
    <li className={listStyles.row}>
      <span className={styles.image} aria-hidden>
        <EmojiText text={name} />
      </span>
      <div className={listStyles.details}>
        <p className={listStyles.name}>{name}</p>
        <p className="note">
          {[
            ...emoji.aliases.map((alias) => `:${alias}:`),
            author?.profile.name ?? i18n._('Former member'),
          ].join(' · ')}
        </p>
      </div>
      {mayChange ? (
        <>
          <Button aria-label={i18n._('Edit {name}', { name })} onClick={() => setOpen('names')}>
            {i18n._('Edit')}
          </Button>
          <Button
            variant="quiet"
            aria-label={i18n._('Delete {name}', { name })}
            onClick={() => setOpen('delete')}
          >
            {i18n._('Delete')}
          </Button>
        </>
      ) : null}
      {open === 'names' ? <EmojiNames emoji={emoji} onClose={close} /> : null}
      {open === 'delete' ? (
        <ConfirmDialog
          title={i18n._('Delete {name}?', { name })}
          text={i18n._('Messages and reactions will show its name instead.')}
          action={i18n._('Delete')}
          isDestructive
          doneText={i18n._('Emoji deleted.')}
          run={() => deleteEmoji(emoji.id)}
          onClose={close}
        />
      ) : null}
    </li>
  )
}

function WhoMayAdd() {
  const { workspace } = useMe()
  return (
    <SettingsSection title={i18n._('Who can add custom emoji')}>
      <SettingChoice
        label={i18n._('Who can add custom emoji')}
        hideLabel
        saved={workspace.custom_emoji_by ?? 'admins'}
        options={[
          { value: 'admins', label: i18n._('Owners and admins') },
          { value: 'members', label: i18n._('All members except guests') },
        ]}
        save={(custom_emoji_by) => setWorkspaceOptions({ custom_emoji_by })}
      />
    </SettingsSection>
  )
}
