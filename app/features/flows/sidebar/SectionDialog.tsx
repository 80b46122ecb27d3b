import { i18n } from '@lingui/core'
import { useState } from 'react'
import { success } from '../../../data/failures/failures.ts'
import { LIMITS } from '../../../../wire/limits.ts'
import { changeSection, createSection, moveConversation } from '../../../data/sidebar/sidebarCommands.ts'
import { useSidebarGroups } from '../../../data/sidebar/sections.ts'
import { FormDialog } from '../../../ui/FormDialog.tsx'
import { TextField } from '../../../ui/TextField.tsx'
import { useToastOnError } from '../../parts/toasts/useToastOnError.ts'

interface Props {
  /** The section to rename; null creates one. */
  id: string | null
  name?: string | undefined
  /** A conversation to move into the new section. */
  channelId?: string | undefined
  onClose: () => void
}

/** Creates or renames a section of the sidebar. */
export default function SectionDialog({ id, name: currentName = '', channelId, onClose }: Props) {
  const groups = useSidebarGroups(null)
  const runWithToast = useToastOnError()
  const [name, setName] = useState(currentName)
  const trimmed = name.trim()
  const isTaken = groups.some(
    ({ section }) => section && section.id !== id && section.name.toLowerCase() === trimmed.toLowerCase(),
  )

  const save = () => {
    if (id) {
      if (trimmed !== currentName) runWithToast(() => changeSection(id, { name: trimmed }))
      return success(undefined)
    }
    const item = groups.flatMap((group) => group.items).find((one) => one.id === channelId)
    runWithToast(async () => {
      const made = await createSection(trimmed)
      if (!made.ok || !item) return made
      return moveConversation(item, { key: made.value, kind: 'section', items: [] }, 0)
    })
    return success(undefined)
  }

  return (
    <FormDialog
      title={id ? i18n._('Rename section') : i18n._('New section')}
      action={id ? i18n._('Save') : i18n._('Create section')}
      run={save}
      isDisabled={!trimmed || isTaken}
      onClose={onClose}
    >
      <TextField
        label={i18n._('Section name')}
        hint={i18n._('Sections are just for you. Nobody else sees them.')}
        error={isTaken ? i18n._('You already have a section with this name.') : null}
        value={name}
        maxLength={LIMITS.sectionCharacters}
        onChange={setName}
      />
    </FormDialog>
  )
}
