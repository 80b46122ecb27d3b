-- The names that custom emoji may not have: those of the standard ones.

create function app.standard_emoji_names() returns text[]
language sql immutable set search_path = ''
as $$
  select string_to_array(btrim(regexp_replace('
  100 1234 1st 1st_place_medal 2nd 2nd_place_medal 3rd 3rd_place_medal 8ball a_blood ab ab_blood abacus abc abcd
  accept accordion adhesive_bandage admission_tickets adult aerial_tramway afghanistan airplane airplane_arriving
  airplane_departure aland_islands alarm_clock albania alembic algeria alien alien_monster all_good ambulance
  american_samoa amphora anatomical_heart anchor andorra android angel anger angola angry angry_face angry_imp
  anguilla anguished anguished_face ant antarctica antenna_bars antigua_barbuda anxious anxious_face apple aquarius
  argentina aries armenia arrow_backward arrow_double_down arrow_double_up arrow_down arrow_down_small arrow_forward
  arrow_heading_down arrow_heading_up arrow_left arrow_left_hook arrow_lower_left arrow_lower_right arrow_right
  arrow_right_hook arrow_up arrow_up_down arrow_up_small arrow_upper_left arrow_upper_right arrows_clockwise
  arrows_counterclockwise art articulated_lorry artificial_satellite artist aruba ascension_island asterisk
  astonished astonished_face astronaut athletic_shoe atm atom atom_symbol australia austria auto_rickshaw avocado axe
  azerbaijan b_blood baby baby_bottle baby_chick baby_symbol back backpack bacon badger badminton bagel baggage_claim
  baguette_bread bahamas bahrain balance_scale bald bald_man bald_person bald_woman ballet_shoes balloon ballot_box
  ballot_box_with_ballot ballot_box_with_check bamboo banana bandaid bangbang bangladesh banjo bank bar_chart
  barbados barber barber_pole barely_sunny baseball basket basketball basketball_man basketball_woman bat bath
  bathroom bathtub battery beach beach_umbrella beach_with_umbrella beaming_face beans bear bear_face bearded_person
  beating_heart beaver bed bee beer beers beetle beginner belarus belgium belize bell bell_pepper bellhop
  bellhop_bell benin bento bento_box bermuda beverage_box bhutan bicycle bicyclist bike biking biking_man
  biking_woman bikini billed_cap billiards biohazard biohazard_sign bird bird_face birthday birthday_cake bison
  biting_lip black_bird black_cat black_circle black_circle_for_record black_flag black_heart black_joker
  black_large_square black_medium_small_square black_medium_square black_nib black_small_square black_square_button
  black_square_for_stop blond_haired blond_haired_man blond_haired_person blond_haired_woman blonde_woman blossom
  blowfish blowing_a_kiss blue_book blue_car blue_circle blue_heart blue_square blueberries blush boar boat
  boba_drink bolivia bomb bone book bookmark bookmark_tabs books boom boomerang boot bosnia_herzegovina botswana
  bouncing_ball_man bouncing_ball_person bouncing_ball_woman bouquet bouvet_island bow bow_and_arrow bowing_man
  bowing_woman bowl_with_spoon bowling boxing_glove boy brain brazil bread breast_feeding bricks bride_with_veil
  bridge_at_night briefcase briefs bright_button british_indian_ocean_territory british_virgin_islands broccoli
  broken_heart broom brown_circle brown_heart brown_square brunei bubble_tea bubbles bucket bug building_construction
  bulb bulgaria bullettrain_front bullettrain_side bullseye burkina_faso burma burrito burundi bus
  business_suit_levitating busstop bust_in_silhouette busts_in_silhouette butter butterfly cactus cake calendar
  calendar_spiral call_me_hand calling cambodia camel camera camera_flash camera_with_flash cameroon camping canada
  canary_islands cancer candle candy canned_food canoe cape_verde capital_abcd capricorn car card_file_box card_index
  card_index_dividers caribbean_netherlands carousel_horse carp_streamer carpentry_saw carrot cartwheeling castle cat
  cat2 cat_face cayman_islands cd censored central_african_republic ceuta_melilla chad chains chair champagne chart
  chart_decreasing chart_increasing chart_with_downwards_trend chart_with_upwards_trend check_mark check_mark_button
  checkered_flag cheese cheese_wedge cherries cherry_blossom chess_pawn chestnut chicken chicken_face child
  children_crossing chile china chipmunk chocolate_bar chopsticks christmas_island christmas_tree church cigarette
  cinema circus_tent city_dusk city_sunrise city_sunset cityscape cl clamp clap clapper clapping_hands
  classical_building climbing climbing_man climbing_woman clinking_glasses clipboard clipperton_island clock clock1
  clock10 clock1030 clock11 clock1130 clock12 clock1230 clock130 clock2 clock230 clock3 clock330 clock4 clock430
  clock5 clock530 clock6 clock630 clock7 clock730 clock8 clock830 clock9 clock930 clockwise closed_book
  closed_lock_with_key closed_umbrella cloud cloud_with_lightning cloud_with_lightning_and_rain cloud_with_rain
  cloud_with_snow cloudy clown clown_face clubs clutch_bag cn coat cockroach cocktail coconut cocos_islands coffee
  coffin coin cold cold_face cold_sweat collision colombia comet comoros compass compression computer computer_disk
  computer_mouse confetti_ball confounded confounded_face confused confused_face congo_brazzaville congo_kinshasa
  congratulations construction construction_site construction_worker construction_worker_man
  construction_worker_woman control_knobs controller convenience_store cook cook_islands cooked_rice cookie cooking
  cool cop copyright coral corn costa_rica cote_divoire couch_and_lamp counterclockwise couple couple_kiss
  couple_with_heart couple_with_heart_man_man couple_with_heart_mm couple_with_heart_mw couple_with_heart_wm
  couple_with_heart_woman_man couple_with_heart_woman_woman couple_with_heart_ww couplekiss couplekiss_man_man
  couplekiss_man_woman couplekiss_woman_woman cow cow2 cow_face cowboy cowboy_face cowboy_hat_face crab crayon
  credit_card crescent_moon cricket cricket_bat_and_ball cricket_game croatia crocodile croissant cross_mark
  cross_mark_button crossed_fingers crossed_flags crossed_swords crown cruise_ship crutch cry crying_cat
  crying_cat_face crying_face crystal_ball cuba cucumber cup_with_straw cupcake cupid curacao curling_stone
  curly_haired curly_haired_man curly_haired_person curly_haired_woman curly_loop currency_exchange curry curry_rice
  cursing_face custard customs cut_of_meat cyclone cyprus czech_republic czechia dagger dagger_knife dancer dancers
  dancing_men dancing_women dango dark_sunglasses dart dash dashing_away date de deaf_man deaf_person deaf_woman
  deciduous_tree deer delivery_truck denmark department_store derelict_house derelict_house_building desert
  desert_island desktop_computer detective diamond_shape_with_a_dot_inside diamond_with_a_dot diamonds diego_garcia
  dim_button direct_hit disappointed disappointed_face disappointed_relieved disco disco_ball disguised
  disguised_face divide diving_mask division diya_lamp dizzy dizzy_eyes dizzy_face djibouti dna do_not_litter dodo
  dog dog2 dog_face dollar dolls dolphin dominica dominican_republic donkey door dotted_line_face double_curly_loop
  double_exclamation double_helix double_vertical_bar doughnut dove dove_of_peace down downcast_face dragon
  dragon_face dress dromedary_camel drooling drooling_face drop_of_blood droplet drum drum_with_drumsticks duck
  dumpling dvd e_mail eagle ear ear_of_corn ear_of_rice ear_with_hearing_aid earth_africa earth_americas earth_asia
  earth_europe ecuador egg eggplant egypt eight eight_pointed_black_star eight_spoked_asterisk eject eject_button
  el_salvador electric_plug elephant elevator elf elf_man elf_woman email empty_nest end england envelope
  envelope_with_arrow equatorial_guinea eritrea es estonia eswatini ethiopia eu euro european_castle
  european_post_office european_union evergreen_tree ewe exclamation exclamation_question exhale exhaling
  exploding_head expressionless expressionless_face eye eye_in_speech_bubble eye_speech_bubble eyeglasses eyes
  face_exhaling face_holding_back_tears face_in_clouds face_palm face_vomiting face_with_cowboy_hat
  face_with_diagonal_mouth face_with_hand_over_mouth face_with_head_bandage face_with_monocle
  face_with_one_eyebrow_raised face_with_open_mouth face_with_open_mouth_vomiting face_with_peeking_eye
  face_with_raised_eyebrow face_with_rolling_eyes face_with_spiral_eyes face_with_symbols_on_mouth
  face_with_thermometer face_with_tongue facepalm facepunch factory factory_worker fairy fairy_man fairy_woman
  falafel falkland_islands fallen_leaf family family_man_boy family_man_boy_boy family_man_girl family_man_girl_boy
  family_man_girl_girl family_man_man_boy family_man_man_boy_boy family_man_man_girl family_man_man_girl_boy
  family_man_man_girl_girl family_man_woman_boy family_man_woman_boy_boy family_man_woman_girl
  family_man_woman_girl_boy family_man_woman_girl_girl family_mb family_mbb family_mg family_mgb family_mgg
  family_mmb family_mmbb family_mmg family_mmgb family_mmgg family_mwb family_mwbb family_mwg family_mwgb family_mwgg
  family_wb family_wbb family_wg family_wgb family_wgg family_woman_boy family_woman_boy_boy family_woman_girl
  family_woman_girl_boy family_woman_girl_girl family_woman_woman_boy family_woman_woman_boy_boy
  family_woman_woman_girl family_woman_woman_girl_boy family_woman_woman_girl_girl family_wwb family_wwbb family_wwg
  family_wwgb family_wwgg farmer faroe_islands fast_down fast_forward fast_reverse fast_up fax fax_machine fearful
  fearful_face feather feet female female_artist female_astronaut female_construction_worker female_cook
  female_detective female_doctor female_elf female_factory_worker female_fairy female_farmer female_firefighter
  female_genie female_guard female_judge female_mage female_mechanic female_office_worker female_pilot
  female_police_officer female_scientist female_sign female_singer female_student female_superhero
  female_supervillain female_teacher female_technologist female_vampire female_zombie fencer fencing ferris_wheel
  ferry field_hockey field_hockey_stick_and_ball fiji file_cabinet file_folder film_frames film_projector film_strip
  fingers_crossed finland fire fire_engine fire_extinguisher firecracker firefighter fireworks first_place_medal
  first_quarter_moon first_quarter_moon_with_face fish fish_cake fishing_pole fishing_pole_and_fish fist fist_left
  fist_oncoming fist_raised fist_right five flag_ac flag_ad flag_ae flag_af flag_ag flag_ai flag_al flag_am flag_ao
  flag_aq flag_ar flag_as flag_at flag_au flag_aw flag_ax flag_az flag_ba flag_bb flag_bd flag_be flag_bf flag_bg
  flag_bh flag_bi flag_bj flag_bl flag_bm flag_bn flag_bo flag_bq flag_br flag_bs flag_bt flag_bv flag_bw flag_by
  flag_bz flag_ca flag_cc flag_cd flag_cf flag_cg flag_ch flag_ci flag_ck flag_cl flag_cm flag_cn flag_co flag_cp
  flag_cr flag_cu flag_cv flag_cw flag_cx flag_cy flag_cz flag_de flag_dg flag_dj flag_dk flag_dm flag_do flag_dz
  flag_ea flag_ec flag_ee flag_eg flag_eh flag_england flag_er flag_es flag_et flag_eu flag_fi flag_fj flag_fk
  flag_fm flag_fo flag_fr flag_ga flag_gb flag_gbeng flag_gbsct flag_gbwls flag_gd flag_ge flag_gf flag_gg flag_gh
  flag_gi flag_gl flag_gm flag_gn flag_gp flag_gq flag_gr flag_gs flag_gt flag_gu flag_gw flag_gy flag_hk flag_hm
  flag_hn flag_hr flag_ht flag_hu flag_ic flag_id flag_ie flag_il flag_im flag_in flag_io flag_iq flag_ir flag_is
  flag_it flag_je flag_jm flag_jo flag_jp flag_ke flag_kg flag_kh flag_ki flag_km flag_kn flag_kp flag_kr flag_kw
  flag_ky flag_kz flag_la flag_lb flag_lc flag_li flag_lk flag_lr flag_ls flag_lt flag_lu flag_lv flag_ly flag_ma
  flag_mc flag_md flag_me flag_mf flag_mg flag_mh flag_mk flag_ml flag_mm flag_mn flag_mo flag_mp flag_mq flag_mr
  flag_ms flag_mt flag_mu flag_mv flag_mw flag_mx flag_my flag_mz flag_na flag_nc flag_ne flag_nf flag_ng flag_ni
  flag_nl flag_no flag_np flag_nr flag_nu flag_nz flag_om flag_pa flag_pe flag_pf flag_pg flag_ph flag_pk flag_pl
  flag_pm flag_pn flag_pr flag_ps flag_pt flag_pw flag_py flag_qa flag_re flag_ro flag_rs flag_ru flag_rw flag_sa
  flag_sb flag_sc flag_scotland flag_sd flag_se flag_sg flag_sh flag_si flag_sj flag_sk flag_sl flag_sm flag_sn
  flag_so flag_sr flag_ss flag_st flag_sv flag_sx flag_sy flag_sz flag_ta flag_tc flag_td flag_tf flag_tg flag_th
  flag_tj flag_tk flag_tl flag_tm flag_tn flag_to flag_tr flag_tt flag_tv flag_tw flag_tz flag_ua flag_ug flag_um
  flag_un flag_us flag_uy flag_uz flag_va flag_vc flag_ve flag_vg flag_vi flag_vn flag_vu flag_wales flag_wf flag_ws
  flag_xk flag_ye flag_yt flag_za flag_zm flag_zw flags flamingo flashlight flat_shoe flatbread fleur_de_lis
  flight_arrival flight_departure flipper floppy_disk flower_playing_cards flushed flushed_face flute fly flying_disc
  flying_saucer fog foggy folded_hands folding_fan folding_hand_fan fondue foot football footprints fork_and_knife
  fork_knife_plate fortune_cookie fountain fountain_pen four four_leaf_clover fox fox_face fr frame_with_picture
  framed_picture france free french_fries french_guiana french_polynesia french_southern_territories fried_egg
  fried_shrimp fries frog frog_face frowning frowning_face frowning_man frowning_person frowning_woman fu fuelpump
  full_moon full_moon_with_face funeral_urn gabon gambia game_die garlic gasp gb gear gem gemini genie genie_man
  genie_woman georgia germany ghana ghost gibraltar gift gift_heart ginger ginger_root giraffe giraffe_face girl
  glass_of_milk glasses globe_with_meridians gloves glowing_star goal_net goat goblin goggles golf golfer golfing
  golfing_man golfing_woman goose gorilla graduation_cap grapes gray_heart greece green_apple green_book green_circle
  green_heart green_salad green_square greenland grenada grey_exclamation grey_heart grey_question grimacing
  grimacing_face grin grinning grinning_cat grinning_cat_with_closed_eyes grinning_face grinning_face_with_big_eyes
  grinning_face_with_closed_eyes grinning_face_with_star_eyes grinning_face_with_sweat growing_heart guadeloupe guam
  guard guardsman guardswoman guatemala guernsey guide_dog guinea guinea_bissau guitar gun guyana hair_pick haircut
  haircut_man haircut_woman haiti halo hamburger hammer hammer_and_pick hammer_and_wrench hamsa hamster hamster_face
  hand hand_over_mouth handbag handball handball_person handicapped handshake hankey hash hatched_chick
  hatching_chick headphones headstone health_worker hear_no_evil heard_mcdonald_islands hearing_aid heart
  heart_decoration heart_exclamation heart_eyes heart_eyes_cat heart_hands heart_on_fire heart_with_arrow
  heart_with_ribbon heartbeat heartpulse hearts heavy_check_mark heavy_division_sign heavy_dollar_sign
  heavy_equals_sign heavy_exclamation_mark heavy_heart_exclamation heavy_minus_sign heavy_multiplication_x
  heavy_plus_sign hedgehog helicopter helmet_with_cross helmet_with_white_cross herb hibiscus high_brightness
  high_five high_heel high_voltage high_volume hiking_boot hindu_temple hippo hippopotamus hocho hockey hole
  hollow_red_circle homes honduras honey_pot honeybee hong_kong hook hooray horse horse_face horse_racing hospital
  hot hot_face hot_pepper hotdog hotel hotsprings hourglass hourglass_flowing_sand house house_abandoned
  house_buildings house_with_garden houses hug hugging hugging_face hugs hungary hushed hushed_face hut hyacinth
  i_love_you_hand_sign ice ice_cream ice_cube ice_hockey ice_hockey_stick_and_puck ice_skate icecream iceland id
  id_card identification_card ideograph_advantage imp in_clouds inbox_tray incoming_envelope
  index_pointing_at_the_viewer india indonesia infinity info information_desk_person information_source innocent
  interrobang iphone iran iraq ireland island isle_of_man israel it italy izakaya_lantern ja_acceptable
  ja_application ja_bargain ja_congratulations ja_discount ja_free_of_charge ja_here ja_monthly_amount ja_no_vacancy
  ja_not_free_of_carge ja_open_for_business ja_passing_grade ja_prohibited ja_reserved ja_secret ja_service_charge
  ja_vacancy jack_o_lantern jamaica japan japan_map japanese_castle japanese_goblin japanese_ogre jar jeans jellyfish
  jersey jigsaw jolly_roger jordan joy joy_cat joystick jp judge juggler juggling juggling_person juice_box kaaba
  kangaroo kazakhstan kenya key keyboard keycap_star keycap_ten khanda kick_scooter kimono kiribati kiss kiss_mm
  kiss_mw kiss_wm kiss_ww kissing kissing_cat kissing_closed_eyes kissing_face kissing_face_with_closed_eyes
  kissing_face_with_smiling_eyes kissing_heart kissing_smiling_eyes kite kiwi kiwi_fruit kiwifruit kneeling
  kneeling_man kneeling_person kneeling_woman knife knife_fork_plate knocked_out knot koala koala_face koko kosovo kr
  kuwait kyrgyzstan lab_coat label lacrosse ladder lady_beetle ladybug lantern laos laptop large_blue_circle
  large_blue_diamond large_blue_square large_brown_circle large_brown_square large_green_circle large_green_square
  large_orange_circle large_orange_diamond large_orange_square large_purple_circle large_purple_square
  large_red_square large_yellow_circle large_yellow_square last_quarter_moon last_quarter_moon_with_face latin_cross
  latvia laughing leafy_green leaves lebanon ledger left_facing_fist left_luggage left_right_arrow left_speech_bubble
  leftwards_arrow_with_hook leftwards_hand leftwards_pushing_hand leg lemon leo leopard lesotho level_slider levitate
  levitating liberia libra libya liechtenstein lifebuoy light_blue_heart light_bulb light_rail lightning
  lightning_cloud link linked_paperclips lion lion_face lips lipstick lithuania litter_bin lizard llama lmao lobster
  lock lock_with_ink_pen locked locked_with_key locked_with_pen lol lollipop long_drum loop lotion_bottle lotus
  lotus_position lotus_position_man lotus_position_woman loud_sound loudly_crying_face loudspeaker love_hotel
  love_letter love_you_gesture low_battery low_brightness low_volume lower_left_ballpoint_pen lower_left_crayon
  lower_left_fountain_pen lower_left_paintbrush luggage lungs luxembourg lying lying_face macao macau macedonia
  madagascar mag mag_right mage mage_man mage_woman magic_wand magnet mahjong mailbox mailbox_closed
  mailbox_with_mail mailbox_with_no_mail malawi malaysia maldives male male_artist male_astronaut
  male_construction_worker male_cook male_detective male_doctor male_elf male_factory_worker male_fairy male_farmer
  male_firefighter male_genie male_guard male_judge male_mage male_mechanic male_office_worker male_pilot
  male_police_officer male_scientist male_sign male_singer male_student male_superhero male_supervillain male_teacher
  male_technologist male_vampire male_zombie mali malta mammoth man man_and_woman_holding_hands man_artist
  man_astronaut man_bald man_beard man_bearded man_biking man_blond_haired man_bouncing_ball man_bowing man_boy
  man_boy_boy man_cartwheeling man_climbing man_construction_worker man_cook man_curly_haired man_dancing
  man_detective man_elf man_facepalming man_factory_worker man_fairy man_farmer man_feeding_baby man_firefighter
  man_frowning man_genie man_gesturing_no man_gesturing_ok man_getting_haircut man_getting_massage man_girl
  man_girl_boy man_girl_girl man_golfing man_guard man_health_worker man_heart_man man_in_business_suit_levitating
  man_in_lotus_position man_in_manual_wheelchair man_in_motorized_wheelchair man_in_steamy_room man_in_tuxedo
  man_judge man_juggling man_kiss_man man_kneeling man_lifting_weights man_mage man_man_boy man_man_boy_boy
  man_man_girl man_man_girl_boy man_man_girl_girl man_mechanic man_mountain_biking man_office_worker man_pilot
  man_playing_handball man_playing_water_polo man_police_officer man_pouting man_raising_hand man_red_haired
  man_rowing_boat man_running man_scientist man_shrugging man_singer man_standing man_student man_superhero
  man_supervillain man_surfing man_swimming man_teacher man_technologist man_tipping_hand man_vampire man_walking
  man_wearing_turban man_white_haired man_with_beard man_with_bunny_ears_partying man_with_gua_pi_mao
  man_with_probing_cane man_with_turban man_with_veil man_with_white_cane man_woman_boy man_woman_boy_boy
  man_woman_girl man_woman_girl_boy man_woman_girl_girl man_wrestling man_zombie mandarin mango mans_shoe
  mantelpiece_clock manual_wheelchair maple_leaf maracas marshall_islands martial_arts_uniform martinique mask
  massage massage_man massage_woman mate mate_drink mauritania mauritius mayotte meat_on_bone mechanic mechanical_arm
  mechanical_leg medal medal_military medal_sports medical medical_mask medical_symbol medium_volumne mega megaphone
  melon melt melting_face memo men_holding_hands men_with_bunny_ears_partying men_wrestling mending_heart menorah
  menorah_with_nine_branches mens mermaid merman merperson metal metro mexico microbe micronesia microphone
  microscope middle_finger military_helmet military_medal milk milk_glass milky_way minibus minidisc minus mirror
  mirror_ball moai mobile_phone mobile_phone_arrow mobile_phone_off moldova monaco money_mouth_face money_with_wings
  moneybag mongolia monkey monkey_face monocle_face monorail montenegro montserrat moon moon_cake moon_ceremony moose
  morocco mortar_board mosque mosquito mostly_sunny mother_christmas motor_boat motor_scooter motorboat motorcycle
  motorized_wheelchair motorway mount_fuji mountain mountain_bicyclist mountain_biking mountain_biking_man
  mountain_biking_woman mountain_cableway mountain_railway mountain_snow mouse mouse2 mouse_face mouse_trap mouth
  movie_camera moyai mozambique mrs_claus multiplication multiply muscle mushroom musical_keyboard musical_note
  musical_notes musical_score mute mx_claus myanmar nail_care nail_polish name_badge namibia national_park nauru
  nauseated nauseated_face nazar_amulet necktie negative_squared_cross_mark nepal nerd nerd_face nest nest_with_eggs
  nesting_dolls netherlands neutral neutral_face new new_caledonia new_moon new_moon_with_face new_zealand newspaper
  newspaper_roll next_track next_track_button ng ng_man ng_woman nicaragua niger nigeria night_with_stars nine ninja
  niue no no_bell no_bicycles no_entry no_entry_sign no_good no_good_man no_good_woman no_littering no_mobile_phones
  no_mouth no_one_under_18 no_pedestrians no_smoking no_sound non_potable_water norfolk_island north_korea
  northern_mariana_islands norway nose nose_steam notebook notebook_with_decorative_cover notepad_spiral notes
  number_sign nut_and_bolt o2 o_blood ocean octagonal_sign octopus oden office office_worker ogre oil_drum ok ok_hand
  ok_man ok_person ok_woman old_key older_adult older_man older_woman olive om om_symbol oman on oncoming_automobile
  oncoming_bus oncoming_police_car oncoming_taxi one one_piece_swimsuit onion open_book open_file_folder open_hands
  open_mouth open_umbrella ophiuchus optical_disk orange orange_book orange_circle orange_heart orange_square
  orangutan orthodox_cross otter outbox_tray owl ox oyster package page_facing_up page_with_curl pager paintbrush
  pakistan palau palestinian_territories palette palm_down palm_down_hand palm_tree palm_up palm_up_hand
  palms_up_together panama pancakes panda panda_face paperclip paperclips papua_new_guinea parachute paraguay
  parasol_on_ground parking parrot part_alternation_mark partly_sunny partly_sunny_rain party party_popper partying
  partying_face passenger_ship passport_control pause pause_button paw_prints pea pea_pod peace peace_symbol peach
  peacock peanuts pear peek pen pencil pencil2 penguin penguin_face pensive pensive_face people_holding_hands
  people_hugging people_with_bunny_ears_partying people_wrestling performing_arts persevere persevering_face
  person_bald person_bearded person_biking person_bouncing_ball person_bowing person_cartwheel person_climbing
  person_curly_hair person_doing_cartwheel person_facepalming person_feeding_baby person_fencing person_frowning
  person_gesturing_no person_gesturing_ok person_getting_haircut person_getting_massage person_golfing person_in_bed
  person_in_lotus_position person_in_manual_wheelchair person_in_motorized_wheelchair person_in_steamy_room
  person_in_suit_levitating person_in_tuxedo person_juggling person_kneeling person_lifting_weights
  person_mountain_biking person_playing_handball person_playing_water_polo person_pouting person_raising_hand
  person_red_hair person_rowing_boat person_running person_shrugging person_skiing person_snowboarding
  person_standing person_surfing person_swimming person_taking_bath person_tipping_hand person_walking
  person_wearing_turban person_white_hair person_with_ball person_with_blond_hair person_with_crown
  person_with_headscarf person_with_pouting_face person_with_probing_cane person_with_skullcap person_with_turban
  person_with_veil person_with_white_cane peru petri_dish philippines phone pick pickup_truck pie pig pig2 pig_face
  pig_nose pill pilot pinata pinch pinched_fingers pinching_hand pineapple ping_pong pink_heart pirate_flag pisces
  pistol pitcairn_islands pizza placard place_of_worship plate_with_cutlery play play_or_pause_button play_pause
  playground_slide pleading pleading_face plunger plus point_down point_forward point_left point_right point_up
  point_up_2 poland polar_bear polar_bear_face police_car police_officer policeman policewoman poodle poop popcorn
  portugal post_office postal_horn postbox pot_of_food potable_water potato potted_plant pouch poultry_leg pound pour
  pouring_liquid pout pouting pouting_cat pouting_face pouting_man pouting_woman pray prayer_beads pregnant_man
  pregnant_person pregnant_woman pretzel previous_track previous_track_button prince princess printer probing_cane
  puerto_rico punch purple_circle purple_heart purple_square purse pushpin put_litter_in_its_place puzzle_piece qatar
  question quiet_sound rabbit rabbit2 rabbit_face raccoon racehorse racing_car racing_motorcycle radio radio_button
  radioactive radioactive_sign rage railway_car railway_track rain_cloud rainbow rainbow_flag rainy
  raised_back_of_hand raised_eyebrow raised_hand raised_hand_with_fingers_splayed raised_hands raising_hand
  raising_hand_man raising_hand_woman ram ramen rat razor receipt record record_button recycle recycling_symbol
  red_apple red_car red_circle red_envelope red_haired red_haired_man red_haired_person red_haired_woman red_heart
  red_o red_paper_lantern red_square registered relaxed relieved relieved_face reminder_ribbon repeat repeat_one
  rescue_worker_helmet restroom reunion reverse revolving_hearts rewind rhino rhinoceros ribbon rice rice_ball
  rice_cracker rice_scene right_anger_bubble right_bicep right_facing_fist rightwards_arrow_with_hook rightwards_hand
  rightwards_pushing_hand ring ring_buoy ringed_planet robot robot_face rock rocket rofl roll_eyes roll_of_paper
  rolled_up_newspaper roller_coaster roller_skate rolling_eyes rolling_on_the_floor_laughing romania rooster rose
  rosette rotating_light round_pushpin rowboat rowing_man rowing_woman royalty ru rugby_football runner running
  running_man running_shirt running_shirt_with_sash running_woman russia rwanda sa sad_relieved_face safety_pin
  safety_vest sagittarius sailboat sake salad salt salute saluting_face samoa san_marino sandal sandwich santa
  sao_tome_principe sari sassy_man sassy_woman satellite satellite_antenna satisfied saturn saudi_arabia sauna_man
  sauna_person sauna_woman sauropod savoring_food saxophone scales scarf school school_satchel scientist scissors
  scooter scorpion scorpius scotland scream scream_cat screaming_in_fear screwdriver scroll seal seat
  second_place_medal secret see_no_evil seedling selfie senegal serbia service_dog seven sewing_needle seychelles
  shaking shaking_face shallow_pan_of_food shamrock shark shaved_ice sheaf_of_rice sheep shell shield shinto_shrine
  ship shirt shit shocked_face_with_exploding_head shoe shooting_star shopping shopping_bags shopping_cart
  shopping_trolley shortcake shorts shower shrimp shrug shuffle shush shushing_face sierra_leone sign_of_the_horns
  signal_strength singapore singer sint_maarten six six_pointed_star skateboard ski skier skiing skull
  skull_and_crossbones skunk sled sleeping sleeping_accommodation sleeping_bed sleeping_face sleepy sleepy_face
  sleuth_or_spy slide slightly_frowning_face slightly_smiling_face slot_machine sloth slovakia slovenia
  small_airplane small_blue_diamond small_orange_diamond small_red_triangle small_red_triangle_down smile smile_cat
  smiley smiley_cat smiling_cat_with_heart_eyes smiling_face smiling_face_with_3_hearts smiling_face_with_closed_eyes
  smiling_face_with_heart_eyes smiling_face_with_sunglasses smiling_face_with_tear smiling_face_with_three_hearts
  smiling_imp smirk smirk_cat smirking smirking_face smoking snail snake sneaker sneezing sneezing_face
  snow_capped_mountain snow_cloud snowboarder snowboarding snowflake snowman snowman2 snowman_with_snow
  snowman_without_snow snowy soap sob soccer socks soft_serve softball solomon_islands somalia soon sos sound
  south_africa south_korea south_sudan space_invader spades spaghetti spain sparkle sparkler sparkles sparkling_heart
  speak_no_evil speaker speaking_head speaking_head_in_silhouette speech_balloon speedboat spider spider_web
  spiral_calendar spiral_calendar_pad spiral_note_pad spiral_notepad spock_hand sponge spoon sports_medal
  spouting_whale squid squinting_face sri_lanka st_barthelemy st_helena st_kitts_nevis st_lucia st_martin
  st_pierre_miquelon st_vincent_grenadines stadium staff_of_aesculapius standing standing_man standing_person
  standing_woman star star2 star_and_crescent star_of_david star_struck stars station statue_of_liberty
  steam_locomotive steaming_bowl stethoscope stew stop stop_button stop_sign stopwatch stormy straight_ruler
  strawberry stuck_out_tongue stuck_out_tongue_closed_eyes stuck_out_tongue_winking_eye student studio_microphone
  stuffed_flatbread sudan sun sun_and_rain sun_behind_cloud sun_behind_large_cloud sun_behind_rain_cloud
  sun_behind_small_cloud sun_small_cloud sun_with_face sunflower sunglasses sunglasses_cool sunny sunrise
  sunrise_over_mountains superhero superhero_man superhero_woman supervillain supervillain_man supervillain_woman
  surfer surfing surfing_man surfing_woman suriname sushi suspension_railway suv svalbard_jan_mayen swan swaziland
  sweat sweat_drops sweat_smile sweden sweet_potato swim_brief swimmer swimming swimming_man swimming_woman
  switzerland symbols synagogue syria syringe t_rex table_tennis_paddle_and_ball taco tada taiwan tajikistan
  takeout_box tamale tanabata_tree tangerine tanzania taurus taxi tea teacher teapot tears_of_joy tears_of_joy_cat
  technologist teddy_bear telephone telephone_receiver telescope ten tennis tent test_tube thailand the_horns
  thermometer thinking thinking_face third_place_medal thong_sandal thought_balloon thread three three_button_mouse
  thumbsdown thumbsup thunder_cloud_and_rain ticket tickets tiger tiger2 tiger_face timer_clock timor_leste
  tipping_hand_man tipping_hand_person tipping_hand_woman tired tired_face tm togo toilet toilet_paper tokelau
  tokyo_tower tomato tonga tongue too_cool toolbox tooth toothbrush top top_hat tophat tornado tornado_cloud tr
  trackball tractor trade_mark traffic_light train train2 tram tram_car transgender_flag transgender_symbol trashcan
  trex triangular_flag triangular_flag_on_post triangular_ruler trident trinidad_tobago tristan_da_cunha triumph
  troll trolleybus trophy tropical_drink tropical_fish truck trumpet tshirt tulip tumbler_glass tunisia turkey
  turkey_tr turkmenistan turks_caicos_islands turtle tuvalu tv twisted_rightwards_arrows two two_hearts
  two_men_holding_hands two_women_holding_hands u5272 u5408 u55b6 u6307 u6708 u6709 u6e80 u7121 u7533 u7981 u7a7a
  uganda uk ukraine umbrella umbrella_on_ground umbrella_with_rain umbrella_with_rain_drops un unamused unamused_face
  underage unicorn unicorn_face united_arab_emirates united_kingdom united_nations united_states unlock unlocked up
  up2 upside_down_face uruguay us us_outlying_islands us_virgin_islands usa uzbekistan vampire vampire_man
  vampire_woman vanuatu vatican_city venezuela vertical_traffic_light vhs vibration_mode victory video_camera
  video_game videocassette vietnam violin virgo volcano volleyball vomiting vomiting_face vs vulcan vulcan_salute
  waffle wales walking walking_man walking_woman wallis_futuna waning_crescent_moon waning_gibbous_moon warning
  wastebasket watch water_buffalo water_closet water_polo water_wave watermelon watery_eyes wave waving_black_flag
  waving_hand waving_white_flag wavy_dash waxing_crescent_moon waxing_gibbous_moon wc weary weary_cat weary_face
  wedding weight_lifter weight_lifting weight_lifting_man weight_lifting_woman western_sahara whale whale2 wheel
  wheel_of_dharma wheelchair whisky white_cane white_check_mark white_circle white_exclamation white_flag
  white_flower white_frowning_face white_haired white_haired_man white_haired_person white_haired_woman white_heart
  white_large_square white_medium_small_square white_medium_square white_question white_small_square
  white_square_button wilted_flower wind_blowing_face wind_chime wind_face window wine_glass wing wink winking_face
  wireless wolf wolf_face woman woman_and_man_holding_hands woman_artist woman_astronaut woman_bald woman_beard
  woman_bearded woman_biking woman_blond_haired woman_bouncing_ball woman_bowing woman_boy woman_boy_boy
  woman_cartwheeling woman_climbing woman_construction_worker woman_cook woman_curly_haired woman_dancing
  woman_detective woman_elf woman_facepalming woman_factory_worker woman_fairy woman_farmer woman_feeding_baby
  woman_firefighter woman_frowning woman_genie woman_gesturing_no woman_gesturing_ok woman_getting_haircut
  woman_getting_massage woman_girl woman_girl_boy woman_girl_girl woman_golfing woman_guard woman_health_worker
  woman_heart_man woman_heart_woman woman_in_lotus_position woman_in_manual_wheelchair woman_in_motorized_wheelchair
  woman_in_steamy_room woman_in_tuxedo woman_judge woman_juggling woman_kiss_man woman_kiss_woman woman_kneeling
  woman_lifting_weights woman_mage woman_mechanic woman_mountain_biking woman_office_worker woman_pilot
  woman_playing_handball woman_playing_water_polo woman_police_officer woman_pouting woman_raising_hand
  woman_red_haired woman_rowing_boat woman_running woman_scientist woman_shrugging woman_singer woman_standing
  woman_student woman_superhero woman_supervillain woman_surfing woman_swimming woman_teacher woman_technologist
  woman_tipping_hand woman_vampire woman_walking woman_wearing_turban woman_white_haired woman_with_beard
  woman_with_bunny_ears_partying woman_with_headscarf woman_with_probing_cane woman_with_turban woman_with_veil
  woman_with_white_cane woman_woman_boy woman_woman_boy_boy woman_woman_girl woman_woman_girl_boy
  woman_woman_girl_girl woman_wrestling woman_zombie womans_clothes womans_flat_shoe womans_hat women_holding_hands
  women_with_bunny_ears_partying women_wrestling womens wood woozy woozy_face world_map worm worried worried_face
  wrench wrestlers wrestling writing_hand wry_smile_cat wtf x_ray xray yarn yawn yawning yawning_face yellow_circle
  yellow_heart yellow_square yemen yen yes yin_yang yo_yo yum zambia zany zany_face zap zebra zebra_face zero
  zimbabwe zipper_mouth zipper_mouth_face zombie zombie_man zombie_woman zzz
', '\s+', ' ', 'g')), ' ')
$$;
comment on function app.standard_emoji_names is
  'The shortcodes of standard emoji, as in wire/emojiNames/shortcodes.generated.ts; a test compares both.';
