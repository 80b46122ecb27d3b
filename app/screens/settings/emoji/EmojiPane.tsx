import { i18n } from '@lingui/core'
import { useState } from 'react'
import type { CustomEmoji } from '../../../../wire/emoji.ts'
import { deleteEmoji, mayAddEmoji } from '../../../data/emoji/changeEmoji.ts'
import { useCustomEmoji } from '../../../data/emoji/customEmoji.ts'
import { useMember } from '../../../data/people/people.ts'
import { setWorkspaceOptions } from '../../../data/people/workspaceSettings.ts'
import { EmojiText } from '../../../features/emoji/EmojiText.tsx'
import { useMe } from '../../../features/members/MeContext.ts'
import { Button } from '../../../ui/Button.tsx'
import { RadioGroup } from '../../../ui/RadioGroup.tsx'
import { useToast } from '../../../ui/toast.ts'
import { PHONE, useMedia } from '../../../ui/useMedia.ts'
import { PaneHeader } from '../../conversation/PaneHeader.tsx'
import { RemoveDialog } from '../security/RemoveDialog.tsx'
import { SettingsSection } from '../SettingsSection.tsx'
import paneStyles from '../SettingsPane.module.css'
import { AddEmoji } from './AddEmoji.tsx'
import { EmojiNames } from './EmojiNames.tsx'
import styles from './EmojiPane.module.css'

/** The custom emoji of the workspace: adding, renaming and deleting them, and who may add them. */
export default function EmojiPane({ onClose }: { onClose: () => void }) {
  const { role, workspace } = useMe()
  const emoji = useCustomEmoji()
  const isPhone = useMedia(PHONE)
  const mayAdd = mayAddEmoji(workspace, role)
  return (
    <section className={paneStyles.settings} aria-label={i18n._('Custom emoji')}>
      <PaneHeader title={i18n._('Custom emoji')} back="/settings">
        {isPhone ? null : (
          <Button variant="quiet" onClick={onClose}>
            {i18n._('All settings')}
          </Button>
        )}
      </PaneHeader>
      <div className={paneStyles.scroller}>
        <div className={paneStyles.column}>
          {mayAdd ? (
            <AddEmoji />
          ) : (
            <p className={paneStyles.muted}>{i18n._('Only owners and admins can add custom emoji.')}</p>
          )}
          <SettingsSection title={i18n._('All custom emoji')}>
            {emoji.length ? (
              <ul className={styles.list}>
                {emoji.map((one) => (
                  <EmojiRow key={one.id} emoji={one} />
                ))}
              </ul>
            ) : (
              <p className={paneStyles.muted}>{i18n._('No custom emoji yet.')}</p>
            )}
          </SettingsSection>
          {role === 'owner' || role === 'admin' ? <WhoMayAdd /> : null}
        </div>
      </div>
    </section>
  )
}

function EmojiRow({ emoji }: { emoji: CustomEmoji }) {
  const { profile, role, workspace } = useMe()
  const author = useMember(emoji.author_id)
  const [open, setOpen] = useState<'names' | 'delete' | null>(null)
  const mayChange =
    role === 'owner' || role === 'admin' || (emoji.author_id === profile.id && mayAddEmoji(workspace, role))
  const name = `:${emoji.name}:`
  const close = () => setOpen(null)
  return (
    <li className={styles.row}>
      <span className={styles.image} aria-hidden>
        <EmojiText text={name} />
      </span>
      <div className={styles.details}>
        <p className={styles.name}>{name}</p>
        <p className={paneStyles.small}>
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
        <RemoveDialog
          title={i18n._('Delete {name}?', { name })}
          text={i18n._('Messages and reactions will show its name instead.')}
          label={i18n._('Delete')}
          doneText={i18n._('Emoji deleted.')}
          remove={() => deleteEmoji(emoji.id)}
          onDone={close}
          onClose={close}
        />
      ) : null}
    </li>
  )
}

function WhoMayAdd() {
  const { workspace } = useMe()
  const showToast = useToast()
  const choose = async (custom_emoji_by: 'admins' | 'members') => {
    const outcome = await setWorkspaceOptions({ custom_emoji_by })
    if (!outcome.ok) showToast({ text: outcome.failure.message })
  }
  return (
    <SettingsSection title={i18n._('Who can add custom emoji')}>
      <RadioGroup
        label={i18n._('Who can add custom emoji')}
        hideLabel
        value={workspace.custom_emoji_by ?? 'admins'}
        options={[
          { value: 'admins', label: i18n._('Owners and admins') },
          { value: 'members', label: i18n._('All members except guests') },
        ]}
        onChange={(value) => void choose(value)}
      />
    </SettingsSection>
  )
}
