"""What the sentence splitter knows of English: abbreviations, and words that open sentences.

Written by hand so that nothing is downloaded or trained and the same text always gives the same
tokens. All lower case, without the final full stop. Words that are also common words (mass,
ill, miss, sun, sat, art, no) are left out or listed as needing a number after them: taking
them for abbreviations joins more sentences than it saves.
"""

TITLES = """
    adj adm amb asst atty brig capt cdr cmdr cmdt col cpl cpt det dr drs esq fr gen gov govs hon
    insp lt maj messrs mlle mme mmes mr mrs ms msgr pfc pres prof profs pvt rep reps rev rt sen
    sens sgt sr sra srta st ste supt jr treas
"""
COMPANIES = "assn assoc bancorp bros co corp cos dept inc intl ltd mfg mgmt univ"
PLACES = """
    ala ariz ark ave blvd calif colo conn fla ft ga hwy kan kans ky mich minn mont mt neb nebr
    nev okla penn pkwy rd tenn tex va vt wis wisc wyo
"""
DATES = "apr aug dec feb jan nov oct sep sept thu thur thurs tue tues"
OTHERS = """
    al approx apt cf cont e.g est et.al etc ext feat i.e ibid incl misc op orig ph.d ph.ds
    trans viz vs lb lbs oz sq
"""
ABBREVIATIONS = frozenset(f"{TITLES} {COMPANIES} {PLACES} {DATES} {OTHERS}".split())

# Abbreviations only before a number: "No. 5", but "He said no. Then".
NUMBERED = "art cap ch ed eds fig figs mar no nos p para pp ref sec vol vols"
BEFORE_NUMBERS = frozenset(NUMBERED.split())

# Kept whole at the end of a sentence. The Treebank splits the last "Inc." and "a.m." into word
# and full stop, but writes the country as "U.S. ." (17 times of 17 in CoNLL-2000).
FINAL = "u.s u.k u.n e.u"
KEPT_AT_THE_END = frozenset(FINAL.split())

# After an abbreviation a capital alone says little ("Mr. Smith"); one of these opens a sentence.
STARTERS = """
    a about according after all also although among an and another any as asked at because before
    both but by despite during each earlier even every few following for from he her here his how
    however i if in instead it its last later many may meanwhile more most much no nor now of on
    one only or other our over separately several she since so some still such than that the their
    then there these they this those though three through thus to two under until was we were what
    when where whether which while who why will with without would yet you your
"""
SENTENCE_STARTERS = frozenset(STARTERS.split())
