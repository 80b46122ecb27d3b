import { i18n } from '@lingui/core'
import { registerSentences } from '../failures/failures.ts'

/** Errors of creating and changing groups; loaded with these. */
registerSentences({
  user_groups_name_form: () =>
    i18n._('Group names can be 2 to 40 characters long and can’t contain @, #, <, > or `.'),
  user_groups_description_length: () => i18n._('Descriptions of groups can be up to 250 characters.'),
  group_name_taken: () =>
    i18n._('A group, a member or a special mention already has this name. Choose another.'),
  too_many_groups: () =>
    i18n._('This workspace has 200 groups, which is the limit. Rename one you no longer need.'),
  too_many_group_members: () => i18n._('A group can have up to 1,000 members.'),
  too_many_groups_of_person: () => i18n._('One of these people is in 50 groups, which is the maximum.'),
})
